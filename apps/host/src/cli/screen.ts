import type { MessageRow, ProcessRow, RuntimeStatusView, ToolRow } from "@factum/agent-ui"
import { harmless, type Ink, oneLine, type Paint } from "./paint.ts"
import { say } from "./words.ts"

export type Streams = {
  /** What was answered. */
  out: { write(text: string): unknown }
  /** How it goes: kept apart, so that an answer can be piped on. */
  err: { write(text: string): unknown }
  /** Whether a line may be drawn over. */
  live: boolean
}

/** Text that others wrote, and how it is coloured. */
type Piece = string | readonly [Ink, string]

/** Draws a turn from the views of Agent UI: each thing once, in the order in which it happened. */
export class Screen {
  readonly #to: Streams
  readonly #paint: Paint
  readonly #written = new Map<string, number>()
  readonly #told = new Set<string>()
  /** Which text is being written, to begin a new line for another one. */
  #open: string | undefined
  #status = ""

  constructor(to: Streams, paint: Paint) {
    this.#to = to
    this.#paint = paint
  }

  draw(rows: readonly ProcessRow[], messages: readonly MessageRow[], status: RuntimeStatusView): void {
    this.#clear()
    const texts = new Map(messages.map((message) => [message.messageId, message]))
    const seen = new Set<string>()
    for (const row of rows) {
      if (row.text !== undefined) {
        seen.add(row.text.messageId)
        this.#text(texts.get(row.text.messageId), row.text.partId)
      } else if (row.tool !== undefined) this.#tool(row.tool)
      else if (row.failure !== undefined) this.#once(row.key, ["red", `! ${row.failure.message ?? row.kind}`])
      else if (row.kind === "agent")
        this.#once(`${row.key} ${row.status}`, `@ ${row.title ?? row.id} ${row.status}`)
    }
    for (const message of messages) if (!seen.has(message.messageId)) this.#text(message)
    this.#status = statusLine(status)
    this.#redraw()
  }

  /** A line of its own, whatever was being written. */
  line(text: string, ink?: Ink): void {
    this.#clear()
    this.#endLine()
    this.#to.err.write(`${this.#shown(ink === undefined ? text : [ink, text])}\n`)
  }

  end(): void {
    this.#clear()
    this.#endLine()
    this.#status = ""
  }

  #text(message: MessageRow | undefined, partId?: string): void {
    for (const part of message?.text ?? []) {
      if (partId !== undefined && part.partId !== partId) continue
      const key = `${message?.messageId} ${part.partId}`
      const whole = part.blocks.join("")
      const written = this.#written.get(key) ?? 0
      if (whole.length <= written) continue
      if (this.#open !== key) this.#endLine()
      this.#to.out.write(harmless(whole.slice(written)))
      this.#written.set(key, whole.length)
      this.#open = whole.endsWith("\n") ? undefined : key
    }
  }

  #tool(tool: ToolRow): void {
    const { toolCallId, status, toolName, input, output, failure, durationMs } = tool
    const name = toolName === "unknown" || toolName === "unavailable" ? "tool" : toolName
    if (status === "input-streaming") return
    const asked = typeof input === "string" ? "" : oneLine(input.text)
    this.#once(`${toolCallId} begun`, ["cyan", `> ${name}`], " ", ["dim", asked])
    if (status === "output-available") {
      const took = typeof durationMs === "number" ? ` ${durationMs} ms` : ""
      const shown = typeof output === "string" ? "" : oneLine(output.text)
      this.#once(`${toolCallId} ended`, ["green", `< ${name}`], `${took} `, ["dim", shown])
    }
    if (status === "output-error" || status === "cancelled") {
      const why = oneLine(failure?.message ?? status)
      this.#once(`${toolCallId} ended`, ["red", `x ${name}`], ` ${why}`)
    }
  }

  #once(key: string, ...pieces: Piece[]): void {
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#endLine()
    const line = pieces.map((piece) => this.#shown(piece)).join("")
    this.#to.err.write(`${line.trimEnd()}\n`)
  }

  /** Colour is put around what was made harmless, so that only ours gets to the terminal. */
  #shown(piece: Piece): string {
    return typeof piece === "string" ? harmless(piece) : this.#paint(piece[0], harmless(piece[1]))
  }

  #endLine(): void {
    if (this.#open !== undefined) this.#to.out.write("\n")
    this.#open = undefined
  }

  /** The line below everything is drawn only where it can be taken away again, and not into a text. */
  #redraw(): void {
    if (this.#to.live && this.#status !== "" && this.#open === undefined)
      this.#to.err.write(this.#paint("dim", this.#status))
  }

  #clear(): void {
    if (this.#to.live && this.#status !== "" && this.#open === undefined) this.#to.err.write("\r\u001b[2K")
  }
}

function statusLine({ status, title, detail, cost }: RuntimeStatusView): string {
  if (status === "done" || status === "failed" || status === "cancelled" || status === "interrupted")
    return ""
  const spent = cost?.used === undefined ? "" : ` · ${cost.used}`
  return oneLine(`… ${title ?? detail ?? say("working")}${spent}`, 78)
}
