import type { Action } from "./action.ts"
import type { Draft } from "./carriers/draft.ts"
import { checkExecutor } from "./check-executor.ts"
import type { ReportSpec } from "./declaration/normalized.ts"
import type { Authority, Executor } from "./executor.ts"
import { checkGraph } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import type { Limits } from "./limits.ts"
import { type Sections, sectionId } from "./markdown.ts"
import { parseReference } from "./references.ts"

export type Registry = { authority: Authority; executors: readonly Executor[] }

/** What is wrong with a declaration beyond its grammar. The same for every carrier, whatever it came through. */
export function checkDraft(draft: Draft, registry: Registry, limits: Limits): ProtocolIssue[] {
  const { declaration } = draft
  const headings = countHeadings(declaration.sections)
  if ("report" in declaration) return checkReport(declaration.report, headings)
  if (!("graph" in declaration)) return []
  const { graph } = declaration
  const known = new Set(graph.actions.map(({ id }) => id))
  return [
    ...checkGraph(graph).map((found) => ({ ...found, path: placed(draft, found.path) })),
    ...graph.actions.flatMap((action, index) => [
      ...checkReferences(action, headings, (field) => draft.where(index, field)),
      ...checkExecutor(action, registry, (field) => draft.where(index, field)),
      ...checkRepeat(action, known, limits.repeat, (field) => draft.where(index, field)),
    ]),
  ]
}

/** Counted once, because a hostile output can have very many headings and very many references. */
type Headings = ReadonlyMap<string, number>

function countHeadings(sections: Sections): Headings {
  const counts = new Map<string, number>()
  for (const { id } of sections) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

export type Where = (field?: string) => string

/** The graph speaks of its own list of actions; the model wrote something that may look different. */
function placed(draft: Draft, path: string): string {
  const found = /^\[(\d+)\]\.(.*)$/s.exec(path)
  return found === null ? draft.list : draft.where(Number(found[1]), found[2])
}

function checkReferences(action: Action, headings: Headings, where: Where): ProtocolIssue[] {
  return [
    ...action.context_refs.flatMap((ref, index) =>
      checkReference(ref, headings, where(`context_refs[${index}]`)),
    ),
    ...(action.prompt_ref === undefined
      ? []
      : checkReference(action.prompt_ref, headings, where("prompt_ref"))),
  ]
}

/** Sections stand in the same output, so that what they name is known before anything runs. */
function checkReference(ref: string, headings: Headings, path: string): readonly ProtocolIssue[] {
  const parsed = parseReference(ref, path)
  if (!parsed.ok) return parsed.issues
  if (parsed.value.kind !== "md") return []
  const count = headings.get(sectionId(parsed.value.section)) ?? 0
  const name = ref.slice(0, 80)
  if (count === 0)
    return [
      issue(
        "unresolved_ref",
        path,
        `${name} names no heading.`,
        `Add a section with the heading ${name.slice(3)}.`,
      ),
    ]
  if (count > 1)
    return [
      issue("ambiguous_ref", path, `${name} names ${count} headings.`, "Give each section its own heading."),
    ]
  return []
}

function checkReport(report: ReportSpec, headings: Headings): ProtocolIssue[] {
  return report.sections.flatMap(({ refs }, at) =>
    refs.flatMap((ref, index) => checkReference(ref, headings, `payload.sections[${at}].refs[${index}]`)),
  )
}

function checkRepeat(
  action: Action,
  known: ReadonlySet<string>,
  most: number,
  where: Where,
): ProtocolIssue[] {
  const { repeat } = action
  if (repeat === undefined) return []
  const issues: ProtocolIssue[] = []
  if (repeat.max > most)
    issues.push(
      issue(
        "unbounded_loop",
        where("repeat.max"),
        `${repeat.max} passes are too many.`,
        `Give at most ${most}.`,
      ),
    )
  const { until } = repeat
  if (until !== undefined && !known.has(until.action))
    issues.push(
      issue(
        "unknown_dependency",
        where("repeat.until.action"),
        `No action has the id ${JSON.stringify(until.action)}.`,
        "Name the id of an action of this declaration.",
      ),
    )
  return issues
}
