import type { ActionGraph } from "../action.ts"
import { flatKinds, flatSchemas } from "../declaration/flat.ts"
import type { Declaration } from "../declaration/normalized.ts"
import { problems } from "../declaration/problems.ts"
import {
  groupExtensions,
  listOf,
  oneOf,
  present,
  type Raw,
  rawOf,
  splitExtensions,
  textOf,
} from "../declaration/raw.ts"
import { issue, type ProtocolIssue } from "../issues.ts"
import { normalizeAction } from "../normalize.ts"
import { plainGraph } from "../plain.ts"
import { type Draft, noteIn, type Source, tooMany } from "./draft.ts"

/** The small form: `act`, `answer` or `done`. */
export function readFlat(value: unknown, source: Source): Draft {
  const { plain, extensions: found } = splitExtensions(value)
  const extensions = groupExtensions(found, ["calls"])
  const raw = rawOf(plain)
  const kind = oneOf(raw.kind, flatKinds)
  const message = textOf(raw.message)
  const calls = listOf(raw.calls)
  const declared = {
    version: "1" as const,
    origin: source.origin,
    source: source.text,
    sections: source.sections,
    extensions: extensions.outer,
  }
  const declaration: Declaration =
    kind === "answer"
      ? { ...declared, intent: "answer", message: message ?? "" }
      : kind === "done"
        ? { ...declared, intent: "done", ...present({ message }) }
        : {
            ...declared,
            ...present({ note: message ?? noteIn(source.sections) }),
            intent: "execute",
            graph: graphOf(calls),
          }
  return {
    declaration,
    issues:
      kind === undefined
        ? [kindIssue(raw.kind), ...besideKind(raw, source.limits.actions)]
        : [...issuesOf(kind, plain, calls.length, source.limits.actions), ...calls.flatMap(autoIssue)],
    where: (index, field) => callPath(`calls[${index}]`, rawOf(calls[index]), field),
    list: "calls",
    legacy: [],
  }

  function graphOf(entries: readonly unknown[]): ActionGraph {
    const actions = entries.slice(0, source.limits.actions).map((entry, index) => {
      const call = rawOf(entry)
      return normalizeAction(callToAction(call, oneOf(call.type, ["tool", "agent"])), {
        origin: source.origin,
        persist: false,
        returns: "summary",
        extensions: extensions.of(index),
        index,
      })
    })
    return { ...plainGraph, actions }
  }
}

/** A call in the words of the full form. */
export function callToAction(call: Raw, type: unknown): Raw {
  const { id, title, name, args, depends, result } = call
  return {
    id,
    title,
    executor: { type, target: name },
    input: args,
    depends_on: typeof depends === "string" ? [depends] : depends,
    result_policy: result,
  }
}

const fields: Readonly<Record<string, string>> = {
  executor: "name",
  "executor.target": "name",
  "executor.type": "type",
}

/** Where a field of an action stands in the call that it was made from. */
export function callPath(base: string, call: Raw, field?: string): string {
  if (field === undefined) return base
  const renamed = (fields[field] ?? field).replace(/^depends_on/, "depends").replace(/^input/, "args")
  return `${base}.${typeof call.depends === "string" ? renamed.replace(/^depends\[0\]/, "depends") : renamed}`
}

function autoIssue(call: unknown, index: number): ProtocolIssue[] {
  const { type, name } = rawOf(call)
  return type === "tool" && name === "auto" ? [autoTool(`calls[${index}].name`)] : []
}

/** A call names its tool; only the full form lets the runtime choose one. */
export const autoTool = (path: string): ProtocolIssue =>
  issue("unknown_executor", path, "auto is not the name of a tool.", "Give the exact name of a tool.")

/** Without a kind, calls are looked at as those of an act, so that all is told at once. */
function besideKind(raw: Raw, most: number): ProtocolIssue[] {
  const { calls } = raw
  return calls === undefined ? [] : issuesOf("act", { ...raw, kind: "act" }, listOf(calls).length, most)
}

function kindIssue(kind: unknown): ProtocolIssue {
  const fix = 'Give "act", "answer" or "done".'
  if (kind === undefined) return issue("missing_field", "kind", "kind is missing.", fix)
  return issue("invalid_field", "kind", "This kind is not known.", fix)
}

function issuesOf(
  kind: (typeof flatKinds)[number],
  plain: unknown,
  count: number,
  most: number,
): ProtocolIssue[] {
  return count <= most ? problems(flatSchemas[kind], plain) : [tooMany("calls", "calls", count, most)]
}
