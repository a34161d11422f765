import type { Origin } from "./action.ts"
import { type Draft, type Source, tooMany } from "./carriers/draft.ts"
import { readDsl } from "./carriers/dsl.ts"
import { readFlat } from "./carriers/flat.ts"
import { readItems } from "./carriers/items.ts"
import { checkDraft } from "./check.ts"
import { isRaw, type Raw } from "./declaration/raw.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { readJson } from "./json.ts"
import { type Limits, limitsOf } from "./limits.ts"
import { type Block, fenceWord, isProtocolBlock, readMarkdown, type Sections } from "./markdown.ts"
import { type AssistantMessage, carrierName, type MessageCall, type Read, type Setup } from "./message.ts"
import type { ParseNote } from "./notes.ts"
import { outright, recoverCalls, recoverWritten } from "./recover.ts"
import { retryText } from "./retry.ts"
import { callMarks, findTextCalls, type TextCall } from "./text-calls.ts"

/** What a complete message asks for. Never throws, and gives no declaration unless all of it is valid. */
export function readOutput(message: AssistantMessage, setup: Setup): Read {
  if (!message.complete) return { kind: "waiting" }
  const answer: Read = { kind: "answer", text: message.text }
  if (!setup.authority.enabled) return answer
  const limits = limitsOf(setup.limits)
  const native = message.calls.filter(({ name }) => name === carrierName)
  const direct = message.calls.filter(({ name }) => name !== carrierName)
  const [carrier] = native
  if (native.length > 1) return refused([several("native calls", native.length)])
  if (message.text.length > limits.message) {
    if (message.calls.length === 0 && !message.text.includes(fenceWord)) return answer
    return refused([tooLong(message.text.length, limits.message)])
  }
  if (message.calls.length === 0 && !marks.some((mark) => message.text.includes(mark))) return answer
  const { sections, blocks } = readMarkdown(message.text)
  const marked = blocks.filter(isProtocolBlock)
  const [block] = marked
  const reader: Reader = { setup, limits, sections }
  if (carrier !== undefined) {
    const log = [...marked.map(({ text }) => ignored("block", text)), ...direct.map(ignoredCall)]
    return readNative(carrier, reader, log)
  }
  if (block !== undefined) {
    if (marked.length > 1) return refused([several("blocks", marked.length)])
    return readBlock(block, message.text, reader, direct.map(ignoredCall))
  }
  if (direct.length > 0) return readDirect(direct, reader)
  const written = findTextCalls(message.text, blocks, { size: limits.declaration, depth: limits.depth })
  return written.length === 0 ? answer : readWritten(written, reader)
}

/** Text without any of these can be nothing but an answer, and is not searched. */
const marks: readonly string[] = [fenceWord, ...callMarks]

type Reader = { setup: Setup; limits: Limits; sections: Sections }

function readNative(carrier: MessageCall, reader: Reader, log: readonly ParseNote[]): Read {
  const read = readJson(carrier.arguments, { size: reader.limits.declaration, depth: reader.limits.depth })
  if (!read.ok) return refused(read.issues, log)
  const { value } = read
  if (!isRaw(value)) return refused([notAnObject], log)
  if (value.items !== undefined || value.version === "2")
    return settle(readItems(value, sourceOf(reader, "items", carrier.arguments)), reader, log)
  const source = sourceOf(reader, "native", carrier.arguments)
  return settle(isFull(value) ? readDsl(value, source) : readFlat(value, source), reader, log)
}

/** Which form was meant, also where something is wrong with it. */
const isFull = ({ type, intent, payload, kind, calls }: Raw): boolean =>
  intent !== undefined ||
  payload !== undefined ||
  (type !== undefined && kind === undefined && calls === undefined)

function readBlock(block: Block, text: string, reader: Reader, log: readonly ParseNote[]): Read {
  if (!block.complete) {
    const fix = "Close the fence with a line of its own, at least as long as the opening one."
    return refused([issue("incomplete", "", "The agent-protocol block is not closed.", fix)], log)
  }
  const read = readJson(block.text, { size: reader.limits.declaration, depth: reader.limits.depth })
  if (!read.ok) return refused(read.issues, log)
  const { value } = read
  if (!isRaw(value) || value.type !== "agent.protocol") return refused([notDeclared], log)
  if (value.items !== undefined || value.version === "2")
    return settle(readItems(value, sourceOf(reader, "items", text)), reader, log)
  return settle(readDsl(value, sourceOf(reader, "dsl", text)), reader, log)
}

function readDirect(calls: readonly MessageCall[], reader: Reader): Read {
  const { actions: most } = reader.limits
  if (calls.length > most) return refused([tooMany("calls", "calls", calls.length, most)])
  const origin = "recovered_call"
  const sources = calls.map((call) => `${call.name} ${call.arguments}`)
  const { value, issues } = recoverCalls(calls, reader.setup)
  const log = calls.map(
    ({ name }, index): ParseNote => ({ kind: "recovered", origin, call: name, source: sources[index] ?? "" }),
  )
  return settle(readFlat(value, sourceOf(reader, origin, sources.join("\n"))), reader, log, issues)
}

function readWritten(written: readonly TextCall[], reader: Reader): Read {
  const origin = "recovered_text"
  const [only] = written
  if (only === undefined || written.length > 1)
    return refused([issue("uncertain", "", `${written.length} calls are written as text.`, outright)])
  if (!only.last)
    return refused([issue("uncertain", "", "A call is written in the middle of a text.", outright)])
  if (!only.call.ok) return refused(only.call.issues)
  const { value, issues } = recoverWritten(only.call.value, reader.setup)
  const log: ParseNote[] = [{ kind: "recovered", origin, call: only.call.value.name, source: only.source }]
  return settle(readFlat(value, sourceOf(reader, origin, only.source)), reader, log, issues)
}

/** The one way from a draft to a declaration, whatever carried it. */
function settle(
  draft: Draft,
  reader: Reader,
  log: readonly ParseNote[],
  doubts: readonly ProtocolIssue[] = [],
): Read {
  const { setup, limits } = reader
  const issues = [...doubts, ...draft.issues, ...checkDraft(draft, setup, limits)].slice(0, limits.issues)
  const legacy = draft.legacy.map((item): ParseNote => ({ kind: "legacy", item }))
  const notes = [...log.filter((note) => note.kind !== "recovered" || issues.length === 0), ...legacy]
  if (issues.length > 0) return refused(issues, notes)
  const { origin } = draft.declaration
  const result = origin === "recovered_call" || origin === "recovered_text" ? "recovered" : "declared"
  return {
    kind: "declaration",
    declaration: draft.declaration,
    log: [...notes, { kind: "read", result, origin, codes: [] }],
  }
}

function refused(issues: readonly ProtocolIssue[], log: readonly ParseNote[] = []): Read {
  const codes = [...new Set(issues.map(({ code }) => code))]
  return {
    kind: "refused",
    issues,
    retry: retryText(issues),
    log: [...log, { kind: "read", result: "refused", codes }],
  }
}

function sourceOf({ setup, limits, sections }: Reader, origin: Origin, text: string): Source {
  const source = { origin, text, sections, limits }
  return setup.assignment === undefined ? source : { ...source, assignment: setup.assignment }
}

const ignored = (carrier: "block" | "call", source: string): ParseNote => ({
  kind: "ignored",
  carrier,
  source,
})
const ignoredCall = (call: MessageCall) => ignored("call", `${call.name} ${call.arguments}`)

const several = (what: string, count: number) =>
  issue(
    "multiple_blocks",
    "",
    `The response holds ${count} ${what}.`,
    "Give exactly one declaration in a response.",
  )

const tooLong = (length: number, most: number) =>
  issue(
    "too_large",
    "",
    `The response has ${length} characters; at most ${most} are read.`,
    "Say less at once.",
  )

const notAnObject = issue(
  "not_a_declaration",
  "",
  "The arguments are not an object.",
  'Give one JSON object, such as { "kind": "act", "calls": [] } with the calls in it.',
)
const notDeclared = issue(
  "not_a_declaration",
  "type",
  'The block has no type "agent.protocol".',
  'Give one JSON object with "type": "agent.protocol" and "version": "1".',
)
