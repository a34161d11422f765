import { isRaw, type Raw, textOf } from "./declaration/raw.ts"
import { type Checked, issue, refuse } from "./issues.ts"
import { type JsonLimits, readJson } from "./json.ts"
import type { Block } from "./markdown.ts"

/** A call that the model wrote into its text instead of making it. */
export type TextCall = {
  source: string
  /** Whether nothing but space follows: a call in the middle of prose is more likely an example. */
  last: boolean
  call: Checked<WrittenCall>
}
export type WrittenCall = { name: string; type?: "tool" | "agent"; args: Raw }

/** One of these stands in every call that is written as text. */
export const callMarks = ["tool_call", "tool-call", "<<'JSON'"] as const

const open = "<tool_call>"
const close = "</tool_call>"
const shells: ReadonlySet<string> = new Set(["", "shell", "sh", "bash"])
const form = "Make one AgentProtocolOutput call instead of writing a call as text."

/**
 * Text that can only be meant as a call: a fence marked `tool_call`, a `<tool_call>` element, or the shape in which
 * a transcript shows calls. Any other text is text.
 */
export function findTextCalls(text: string, blocks: readonly Block[], limits: JsonLimits): TextCall[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n")
  let end = lines.length
  while (end > 0 && lines[end - 1]?.trim() === "") end--
  const found: TextCall[] = []
  const fenced = new Uint8Array(lines.length)
  for (const block of blocks) {
    fenced.fill(1, ...block.lines)
    const call = block.quoted ? undefined : inFence(block, limits)
    if (call !== undefined) found.push({ source: block.text, last: block.lines[1] >= end, call })
  }
  for (let at = 0; at < end; at++) {
    if (fenced[at] === 1 || lines[at]?.startsWith(open) !== true) continue
    let to = at
    while (to < end && lines[to]?.trimEnd().endsWith(close) !== true) to++
    const source = lines.slice(at, to + 1).join("\n")
    const closed = to < end
    const body = source.trimEnd().slice(open.length, closed ? -close.length : undefined)
    found.push({ source, last: to + 1 >= end, call: closed ? named(body, limits) : unfinished() })
    at = to
  }
  return found
}

function inFence(block: Block, limits: JsonLimits): Checked<WrittenCall> | undefined {
  const marked = /^tool[_-]call$/.test(block.info)
  if (marked) return block.complete ? named(block.text, limits) : unfinished()
  if (!shells.has(block.info)) return undefined
  const head = /^(tool|agent) (\S{1,200}) <<'JSON'\n/.exec(block.text)
  if (head === null) return undefined
  const body = block.text.slice(head[0].length).trimEnd()
  if (!block.complete || !body.endsWith("\nJSON")) return unfinished()
  const args = readJson(body.slice(0, -5), limits)
  if (!args.ok) return args
  if (!isRaw(args.value)) return notClear("The arguments are not an object.")
  return {
    ok: true,
    value: { name: head[2] ?? "", type: head[1] === "agent" ? "agent" : "tool", args: args.value },
  }
}

function named(body: string, limits: JsonLimits): Checked<WrittenCall> {
  const read = readJson(body, limits)
  if (!read.ok) return read
  const raw = isRaw(read.value) ? read.value : {}
  const keys = Object.keys(raw)
  const { name, arguments: args } = raw
  const exact = textOf(name)
  if (keys.length !== 2 || exact === undefined || !isRaw(args))
    return notClear("A written call must hold exactly a name and arguments.")
  return { ok: true, value: { name: exact, args } }
}

const unfinished = () => refuse(issue("incomplete", "", "The written call is not finished.", form))
const notClear = (message: string) => refuse(issue("uncertain", "", message, form))
