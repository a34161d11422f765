import { setTimeout as delay } from "node:timers/promises"
import { z } from "zod"
import { startsShell } from "../../policy/shell/split.ts"
import type { ToolOutcome, ToolRun } from "../../ports/tool.ts"
import type { Processes, RecordFacts } from "../processes/index.ts"
import { Capture } from "./capture.ts"
import { defineTool, failed } from "./define.ts"
import { toRead } from "./paths.ts"
import { commandInput, commandTouches, notStarted, ownerOf, shellCommand } from "./shell.ts"

const mostCaptured = 262_144
const usualWaitMs = 500
const longestWaitMs = 30_000
const quietMs = 100
const mostWatched = 64

type Watched = {
  session_id: string
  capture: Capture
  seen: number
  ended: boolean
  exit: string
  /** Of a shell: the line that was begun and has not been sent off. */
  line?: string
}
const process_id = z.string().min(1).describe("As process_start gave it.")
const wait_ms = z
  .int()
  .min(0)
  .max(longestWaitMs)
  .optional()
  .describe(`How long to wait for output; ${usualWaitMs}, if not said.`)

/** What a shell makes of keys: a return ends a line, and other keys without a letter are no part of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const typed = (text: string): string => text.replace(/\r/g, "\n").replace(/[\0-\x08\x0b-\x1f\x7f]/g, "")

/** Tools for programs that go on running: servers, watchers, dialogs. */
export function processTools(processes: Processes, afterTurn: (run: ToolRun) => RecordFacts) {
  const watched = new Map<string, Watched>()
  const own = (id: string, run: ToolRun) => watched.get(id)?.session_id === run.session_id
  const unknown = (id: string) => failed("tool_error", `There is no process ${id} of this session.`)

  async function told(id: string, wait: number, signal: AbortSignal): Promise<ToolOutcome> {
    const it = watched.get(id)
    if (it === undefined) return unknown(id)
    await quiet(it, wait, signal)
    const output = it.capture.take()
    const data = { process_id: id, running: !it.ended }
    if (it.ended) watched.delete(id)
    if (typeof output !== "string") return { ok: true, output, data }
    const status = it.ended ? `(${it.exit})` : `(${id} is running)`
    return { ok: true, output: output === "" ? status : `${output.replace(/\n$/, "")}\n${status}`, data }
  }

  const start = defineTool({
    name: "process_start",
    description:
      "Starts a program that goes on running and gives its process_id and first output. " +
      "It ends with the turn unless long_lived is set. Set tty for programs that want a terminal.",
    input: z.strictObject({
      ...commandInput,
      tty: z.boolean().optional(),
      long_lived: z.boolean().optional().describe("It outlives the turn, for example a server."),
      wait_ms,
    }),
    effect: "once",
    side_effects: ["read", "write", "external"],
    capabilities: ["shell", "process"],
    touches: commandTouches,
    async run({ command, cwd = ".", tty = false, long_lived = false, wait_ms: wait = usualWaitMs }, run) {
      const place = await toRead(cwd, run)
      if (!place.ok) return place.failure
      const it: Watched = {
        session_id: run.session_id,
        capture: new Capture(mostCaptured),
        seen: 0,
        ended: false,
        exit: "",
        ...(startsShell(command) ? { line: "" } : {}),
      }
      const started = await processes.start({
        command: shellCommand(command),
        cwd: place.path,
        roots: run.roots,
        ...(run.env && { env: run.env }),
        boundary: run.boundary,
        owner: ownerOf(run),
        record: long_lived ? afterTurn(run) : run.record,
        stdin: "open",
        long_lived,
        ...(tty ? { tty: { columns: 120, rows: 40 } } : {}),
        observe(_, bytes) {
          it.seen += bytes.byteLength
          it.capture.add(bytes)
        },
      })
      if (!started.ok) return notStarted(started)
      watched.set(started.process_id, it)
      forgetOldest(watched)
      const over = (exit: string) => Object.assign(it, { ended: true, exit })
      started.ended.then(
        (end) => over(`${started.process_id} ${end.status}, exit code ${end.exit_code}`),
        () => over(`${started.process_id} ended`),
      )
      return told(started.process_id, wait, run.signal)
    },
  })

  const input = defineTool({
    name: "process_input",
    description:
      "Writes to a running program and gives what it answers. Mind the line feed at the end of a line.",
    input: z.strictObject({
      process_id,
      input: z.string(),
      close: z.boolean().optional().describe("End of input."),
      wait_ms,
    }),
    effect: "once",
    side_effects: ["external"],
    capabilities: ["process"],
    touches: async ({ process_id: id, input: text }) => {
      const line = watched.get(id)?.line
      const other = { kind: "other" as const, name: `input to ${id}` }
      return line === undefined ? [other] : [other, { kind: "command", command: typed(line + text) }]
    },
    async run({ process_id: id, input: text, close = false, wait_ms: wait = usualWaitMs }, run) {
      if (!own(id, run)) return unknown(id)
      const written = await processes.write(id, Buffer.from(text), close, run.signal)
      const isUnread = !written.ok && written.code === "unread"
      const it = watched.get(id)
      // What stays before the program is read too, and what is typed after it goes on from it.
      if ((written.ok || isUnread) && it?.line !== undefined)
        it.line = (it.line + text).split(/[\r\n]/).at(-1) ?? ""
      if (written.ok) return told(id, wait, run.signal)
      const next = isUnread
        ? "See what it does with process_output, or stop it. Do not write it again."
        : undefined
      return failed(isUnread ? "outcome_unknown" : "tool_error", written.message, next)
    },
  })

  const output = defineTool({
    name: "process_output",
    description: "Gives what a program wrote since the last time, and whether it still runs.",
    input: z.strictObject({ process_id, wait_ms }),
    effect: "none",
    side_effects: ["read"],
    capabilities: ["process"],
    touches: async () => [],
    async run({ process_id: id, wait_ms: wait = usualWaitMs }, run) {
      return !own(id, run) ? unknown(id) : told(id, wait, run.signal)
    },
  })

  const stop = defineTool({
    name: "process_stop",
    description: "Ends a program with all its children.",
    input: z.strictObject({ process_id, reason: z.string().min(1).optional() }),
    effect: "repeatable",
    side_effects: ["external"],
    capabilities: ["process"],
    touches: async ({ process_id: id }) => [{ kind: "other", name: `stop ${id}` }],
    async run({ process_id: id, reason = "The model stopped it." }, run) {
      if (!own(id, run)) return unknown(id)
      const done = await processes.terminate(id, { reason, by: "runtime" })
      if (!done.ok) return failed("tool_error", done.message)
      const { status, exit_code } = done.end
      watched.delete(id)
      return {
        ok: true,
        output: `${id} is ${status} (exit code ${exit_code}).`,
        data: { process_id: id, status, exit_code },
      }
    },
  })
  return [start, input, output, stop]
}

/** An ended program whose last words nobody fetched is forgotten when there are too many. */
function forgetOldest(watched: Map<string, Watched>): void {
  if (watched.size <= mostWatched) return
  const oldest = [...watched].find(([, { ended }]) => ended)
  if (oldest !== undefined) watched.delete(oldest[0])
}

/** Waits until something came and then nothing more for a moment, or the end, or the time given. */
async function quiet(it: Watched, wait: number, signal: AbortSignal): Promise<void> {
  const step = 20
  let before = -1
  let still = 0
  for (let waited = 0; waited < wait && !it.ended && !signal.aborted; waited += step) {
    still = it.seen === before ? still + step : 0
    before = it.seen
    if (it.seen > 0 && still >= quietMs) break
    await delay(step)
  }
  it.seen = 0
}
