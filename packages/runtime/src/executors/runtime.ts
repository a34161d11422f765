import { type RuntimeOperation, runtimeOperation, runtimeOperations } from "@factum/protocol"
import { z } from "zod"
import type { Clock } from "../ports/clock.ts"
import type { Tool, ToolOutcome } from "../ports/tool.ts"

const longestWaitMs = 86_400_000
const longestLine = 400

/** What the call is opened with: the context as it was resolved then, so that a restart gives the same result. */
const Opened = z.object({
  operation: z.string().optional(),
  context: z.array(z.object({ ref: z.string(), text: z.string() })).default([]),
  completed: z.array(z.string()).default([]),
  /** Of a wait: when it is over, also after a restart. */
  until: z.iso.datetime().optional(),
})

/** The runtime as an executor: wait, merge, checkpoint, summarize, expand references. */
export const runtimeTool = (clock: Clock): Tool => ({
  name: "runtime",
  kind: "runtime",
  owner: "builtin",
  description:
    "Operations of the runtime itself: wait (input.ms), merge, summarize or expand_references (of context_refs), checkpoint.",
  input_schema: {
    type: "object",
    properties: { ms: { type: "integer", minimum: 0, maximum: longestWaitMs } },
  },
  effect: "none",
  side_effects: ["read"],
  capabilities: [...runtimeOperations],
  check: ({ ms }: Readonly<Record<string, unknown>>) =>
    ms === undefined || (Number.isInteger(ms) && Number(ms) >= 0 && Number(ms) <= longestWaitMs)
      ? []
      : [{ path: "ms", message: `a wait is 0 to ${longestWaitMs} milliseconds` }],
  touches: async () => [],
  async run(input, { signal }) {
    const opened = Opened.parse(input)
    const { operation } = opened
    const known = runtimeOperation(operation === undefined ? {} : { operation })
    if (known === "wait") return waitUntil(Date.parse(opened.until ?? "") || 0, clock, signal)
    if (known === undefined) return notOffered(operation ?? "")
    return { ok: true, output: textOf(known, opened) }
  },
})

function textOf(
  operation: Exclude<RuntimeOperation, "wait">,
  { context, completed }: z.infer<typeof Opened>,
) {
  switch (operation) {
    case "merge":
      return context.map(({ text }) => text).join("\n\n")
    case "checkpoint":
      return `Completed so far: ${completed.join(", ") || "nothing"}.`
    case "summarize":
      return context.map(({ text }) => firstLine(text)).join("\n")
    case "expand_references":
      return context.map(({ ref, text }) => `${ref}\n${text}`).join("\n\n")
  }
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? ""
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
}

function waitUntil(time: number, clock: Clock, signal: AbortSignal): Promise<ToolOutcome> {
  return new Promise((resolve) => {
    const left = Math.max(0, time - clock.now())
    const timer = setTimeout(() => resolve({ ok: true, output: "The time is over." }), left)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve({ ok: false, category: "interrupted", message: "The wait was stopped." })
    })
  })
}

const notOffered = (operation: string): ToolOutcome => ({
  ok: false,
  category: "invalid_args",
  message: `The runtime does not offer ${JSON.stringify(operation)}.`,
  next: `Use ${runtimeOperations.join(", ")}.`,
})
