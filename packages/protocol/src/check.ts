import type { Action } from "./action.ts"
import type { Draft } from "./carriers/draft.ts"
import { checkExecutor } from "./check-executor.ts"
import type { ReportSpec } from "./declaration/normalized.ts"
import type { Authority, Executor } from "./executor.ts"
import { checkGraph } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import type { Limits } from "./limits.ts"
import { noteSection, type Sections, sectionId } from "./markdown.ts"
import { keepPlace, placeIn } from "./place.ts"
import { parseReference } from "./references.ts"

export type Registry = { authority: Authority; executors: readonly Executor[] }

/** What is wrong with a declaration beyond its grammar. The same for every carrier, whatever it came through. */
export function checkDraft(draft: Draft, registry: Registry, limits: Limits): ProtocolIssue[] {
  const { declaration } = draft
  const headings = countHeadings(declaration.sections)
  if ("report" in declaration) return checkReport(declaration.report, headings)
  if (!("graph" in declaration)) return []
  const { graph } = declaration
  const place = placeIn(draft)
  keepPlace(graph, place)
  // What a revision takes over from its run is not known here.
  const elsewhere = (found: ProtocolIssue) =>
    declaration.intent === "revise" && found.code === "unknown_dependency"
  return [
    ...checkGraph(graph).flatMap((found) =>
      elsewhere(found) ? [] : [{ ...found, path: place(found.path) }],
    ),
    ...graph.actions.flatMap((action, index) => [
      ...checkReferences(action, headings, (field) => draft.where(index, field)),
      ...checkExecutor(action, registry, (field) => draft.where(index, field)),
      ...checkRepeat(action, limits.repeat, (field) => draft.where(index, field)),
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

const forTheUser = [
  `md:${noteSection} is written for the user, and given to no executor.`,
  "Put what the executor needs into another section.",
] as const

/** Sections stand in the same output, so that what they name is known before anything runs. */
function checkReference(ref: string, headings: Headings, path: string): readonly ProtocolIssue[] {
  const parsed = parseReference(ref, path)
  if (!parsed.ok) return parsed.issues
  if (parsed.value.kind !== "md") return []
  const id = sectionId(parsed.value.section)
  if (id === noteSection) return [issue("unresolved_ref", path, ...forTheUser)]
  const count = headings.get(id) ?? 0
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

function checkRepeat({ repeat }: Action, most: number, where: Where): ProtocolIssue[] {
  if (repeat === undefined || repeat.max <= most) return []
  const message = `${repeat.max} passes are too many.`
  return [issue("unbounded_loop", where("repeat.max"), message, `Give at most ${most}.`)]
}
