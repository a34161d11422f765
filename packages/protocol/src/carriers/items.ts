import { type ItemKind, ItemsSchema, isItemKind, itemSchemas } from "../declaration/items.ts"
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
import { autoTool, callPath, callToAction } from "./flat.ts"

type Item = { raw: Raw; kind: ItemKind | undefined; index: number }

const outcomes = ["success", "failure", "error", "reply"] as const
const spoken: readonly (ItemKind | undefined)[] = ["answer", "done"]
const older: readonly (ItemKind | undefined)[] = ["ask", "wait"]

/** Version 2: a list of items, each with a kind. */
export function readItems(value: unknown, source: Source): Draft {
  const { plain, extensions: found } = splitExtensions(value)
  const extensions = groupExtensions(found, ["items"])
  const top = rawOf(plain)
  const all = listOf(top.items)
  const most = source.limits.actions
  const items: readonly Item[] = all.slice(0, most).map((entry, index) => {
    const raw = rawOf(entry)
    return { raw, kind: isItemKind(raw.kind) ? raw.kind : undefined, index }
  })
  const work = items.filter(({ kind }) => !spoken.includes(kind) && oneOf(kind, outcomes) === undefined)
  const message = messageOf(items)
  const title = textOf(top.title)
  const declared = {
    version: "2" as const,
    origin: source.origin,
    ...present({ title }),
    source: source.text,
    sections: source.sections,
    extensions: extensions.outer,
  }
  return {
    declaration: asked(),
    issues:
      all.length > most
        ? [tooMany("items", "items", all.length, most)]
        : [...problems(ItemsSchema, plain), ...itemIssues(items, work, source)],
    where: (index, field) => callPath(`items[${work[index]?.index ?? index}]`, work[index]?.raw ?? {}, field),
    list: "items",
    legacy: items.flatMap(({ kind }) => (kind !== undefined && older.includes(kind) ? [kind] : [])),
  }

  function asked(): Declaration {
    const outcome = items.find(({ kind }) => oneOf(kind, outcomes) !== undefined)
    if (outcome !== undefined) return { ...declared, intent: "outcome", outcome: outcomeOf(outcome, source) }
    if (work.length === 0) {
      if (items.some(({ kind }) => kind === "done"))
        return { ...declared, intent: "done", ...present({ message }) }
      return { ...declared, intent: "answer", message: message ?? "" }
    }
    const actions = work.map(({ raw, kind, index }) =>
      normalizeAction(toAction(raw, kind), {
        origin: source.origin,
        persist: false,
        returns: "summary",
        extensions: extensions.of(index),
        index,
      }),
    )
    const strategy = oneOf(top.strategy, ["dag", "sequential"]) ?? "dag"
    const graph = { ...plainGraph, ...present({ title }), strategy, actions }
    return { ...declared, ...present({ note: message ?? noteIn(source.sections) }), intent: "execute", graph }
  }
}

/** What is said to the user, in order. */
function messageOf(items: readonly Item[]): string | undefined {
  const said = items.flatMap(({ raw, kind }) => (spoken.includes(kind) ? (textOf(raw.message) ?? []) : []))
  return said.length === 0 ? undefined : said.join("\n\n")
}

function toAction(raw: Raw, kind: ItemKind | undefined): Raw {
  const call = callToAction(raw, kind)
  switch (kind) {
    case "input":
    case "ask":
      return { ...call, ...human("clarification"), operation: "ask_user", description: raw.message }
    case "confirm":
      return { ...call, ...human("approval"), operation: "approve", description: raw.message }
    case "wait":
      return { ...call, executor: { type: "runtime" }, operation: "wait", description: raw.message }
    default:
      return call
  }
}

const human = (capability: string) => ({
  executor: { type: "human", target: "auto", capabilities: [capability] },
})

function outcomeOf({ raw, kind }: Item, source: Source) {
  return {
    ...present({
      action_id: source.assignment?.action_id ?? textOf(raw.action_id),
      message: textOf(raw.message),
      output: raw.output,
    }),
    status: oneOf(kind, outcomes) ?? "error",
  }
}

function itemIssues(items: readonly Item[], work: readonly Item[], source: Source): ProtocolIssue[] {
  return items.flatMap(({ raw, kind, index }) => {
    const at = `items[${index}].kind`
    if (kind === undefined) return [unknownKind(raw.kind, at)]
    const found = problems(itemSchemas[kind], raw, ["items", index])
    if (kind === "tool" && raw.name === "auto") found.push(autoTool(`items[${index}].name`))
    if (kind === "done" && work.length > 0)
      found.push(
        issue(
          "invalid_field",
          at,
          "done stands beside work to do.",
          "Leave done out until the work has ended.",
        ),
      )
    if (oneOf(kind, outcomes) !== undefined) found.push(...outcomeIssues(raw, index, items.length, source))
    return found
  })
}

function outcomeIssues(raw: Raw, index: number, count: number, source: Source): ProtocolIssue[] {
  const at = `items[${index}]`
  if (source.assignment === undefined) {
    const message = "An outcome can be given only for an assignment."
    return [issue("not_permitted", `${at}.kind`, message, 'Use "answer" or "done".')]
  }
  const found: ProtocolIssue[] = []
  const own = source.assignment.action_id
  if (raw.action_id !== undefined && raw.action_id !== own)
    found.push(
      issue(
        "not_permitted",
        `${at}.action_id`,
        "This is not the assigned action.",
        `Give ${own}, or leave it out.`,
      ),
    )
  if (count > 1)
    found.push(issue("invalid_field", at, "An outcome stands alone.", "Give the outcome as the only item."))
  return found
}

function unknownKind(kind: unknown, at: string): ProtocolIssue {
  const fix = 'Give "tool", "agent", "input", "confirm", "answer" or "done".'
  if (kind === undefined) return issue("missing_field", at, `${at} is missing.`, fix)
  return issue("invalid_field", at, "This kind is not known.", fix)
}
