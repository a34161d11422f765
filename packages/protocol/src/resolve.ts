import type { Action } from "./action.ts"
import { canonicalReference } from "./artifacts.ts"
import { sha256 } from "./hash.ts"
import { type IssueCode, issue, type ProtocolIssue } from "./issues.ts"
import { findSections, type Sections } from "./markdown.ts"
import type { Artifacts } from "./observation.ts"
import { parseReference, type Reference } from "./references.ts"
import type { ActionRun, Reason } from "./run.ts"
import { summarize } from "./summary.ts"
import { modelMaySee, reaches } from "./visibility.ts"

/** All that a reference may name, as one run may see it. A port that is absent refuses. */
export type ReferenceScope = {
  run_id: string
  goal?: string
  sections: Sections
  actions: readonly Action[]
  runs: Readonly<Record<string, ActionRun>>
  /** Summaries already made, by action; others are made from the outcome. */
  summaries?: Readonly<Record<string, string>>
  artifacts: Artifacts
  /** Whether a run belongs to this conversation; a foreign one is answered as if it were unknown. */
  owns?: (run_id: string) => boolean
  /** An expansion answers the model that saw the run's results, so it needs no permission for later runs. */
  expanding?: boolean
  readFile?: (path: string) => { ok: true; text: string } | { ok: false; message: string }
}

export type Resolved =
  | { ok: true; text: string; hash: string }
  /** `issue` for a declaration that is refused, `reason` for an action that is blocked. */
  | { ok: false; issue: ProtocolIssue; reason: Reason }

/** The text that a reference names. What the text itself says is never expanded again. */
export function resolveReference(ref: string, scope: ReferenceScope, path = ""): Resolved {
  const read = readReference(ref, scope, path)
  return read.ok ? { ...read, hash: sha256(read.text) } : read
}

type ReadText = { ok: true; text: string } | Extract<Resolved, { ok: false }>

/** The same without the hash, which for a large text is the greater part of the work. */
export function readReference(ref: string, scope: ReferenceScope, path = ""): ReadText {
  const parsed = parseReference(ref, path)
  if (parsed.ok) return resolveParsed(ref, parsed.value, scope, path)
  const [first] = parsed.issues
  return first === undefined ? unresolved(ref, path, "cannot be read") : failed(first)
}

function resolveParsed(text: string, ref: Reference, scope: ReferenceScope, path: string): ReadText {
  switch (ref.kind) {
    case "md":
      return section(text, ref.section, scope.sections, path)
    case "action":
      return ofAction(text, ref.action_id, ref.part, scope, path)
    case "input":
      return scope.goal === undefined ? unresolved(text, path, "is not known here") : found(scope.goal)
    case "runtime":
    case "artifact":
      return stored(text, ref.kind === "artifact", scope, path)
    case "file": {
      const read = readFile(ref.path, scope)
      return read.ok ? found(read.text) : forbidden(text, path, read.message)
    }
  }
}

/** A file may vanish after it was found, so the port may fail; the answer is then no. */
function readFile(path: string, { readFile: read }: ReferenceScope) {
  if (read === undefined) return { ok: false, message: "files cannot be read here" } as const
  try {
    return read(path)
  } catch {
    return { ok: false, message: "it could not be read" } as const
  }
}

function section(ref: string, id: string, sections: Sections, path: string): ReadText {
  const [first, second] = findSections(sections, id)
  if (first === undefined) return unresolved(ref, path, "names no heading of this output")
  if (second === undefined) return found(first.text)
  const message = `${shown(ref)} names more than one heading.`
  return failed(issue("ambiguous_ref", path, message, "Give each section a heading of its own."))
}

function ofAction(
  ref: string,
  id: string,
  part: "summary" | "output",
  scope: ReferenceScope,
  path: string,
): ReadText {
  const action = scope.actions.find((candidate) => candidate.id === id)
  const run = Object.hasOwn(scope.runs, id) ? scope.runs[id] : undefined
  if (action === undefined) return unresolved(ref, path, "names no action of this run")
  const outcome = run?.attempts.at(-1)?.outcome
  if (run?.status !== "completed" || outcome?.status !== "completed")
    return unresolved(ref, path, `has no result: the action is ${run?.status ?? "pending"}`, id)
  if (!modelMaySee(action)) return unresolved(ref, path, "is withheld", id)
  if (part === "output") return found(outcome.output)
  const known = scope.summaries
  if (known !== undefined && Object.hasOwn(known, id)) return found(known[id] ?? "")
  return found(summarize({ run, refs: [] }).text)
}

function stored(ref: string, named: boolean, scope: ReferenceScope, path: string): ReadText {
  const key = canonicalReference(ref, scope.run_id)
  const artifact = key === undefined ? undefined : scope.artifacts.get(key)
  const own = artifact?.run_id === scope.run_id
  if (artifact === undefined || (named && !own) || !(own || (scope.owns?.(artifact.run_id) ?? false)))
    return unresolved(ref, path, "names nothing that is stored")
  if (!modelMaySee(artifact)) return unresolved(ref, path, "is withheld")
  if (!own && scope.expanding !== true && !reaches(artifact.visibility, "future_runs"))
    return unresolved(ref, path, "was kept for its own run only")
  return found(artifact.text)
}

const found = (text: string): ReadText => ({ ok: true, text })
const shown = (ref: string): string => (ref.length > 200 ? `${ref.slice(0, 200)}…` : ref)

function unresolved(
  ref: string,
  path: string,
  why: string,
  action_id?: string,
): Extract<Resolved, { ok: false }> {
  const fix = "Name something that exists, or leave the reference out."
  return failed(issue("unresolved_ref", path, `${shown(ref)} ${why}.`, fix), action_id)
}

function forbidden(ref: string, path: string, why: string): Extract<Resolved, { ok: false }> {
  const fix = "Name a file of the workspace that may be read."
  return failed(issue("forbidden_ref", path, `${shown(ref)} is refused: ${why}.`, fix))
}

function failed(problem: ProtocolIssue, action_id?: string): Extract<Resolved, { ok: false }> {
  const denied: IssueCode = "forbidden_ref"
  const code = problem.code === denied ? "not_permitted" : "unresolved_ref"
  const reason: Reason = { code, message: problem.message, ...(action_id === undefined ? {} : { action_id }) }
  return { ok: false, issue: problem, reason }
}
