import { existsSync } from "node:fs"
import { z } from "zod"
import type { ToolOutcome, ToolRun } from "../../ports/tool.ts"
import type { ProcessEnd, Processes, Started } from "../processes/index.ts"
import { Capture } from "./capture.ts"
import { defineTool, failed } from "./define.ts"
import { realPath, toRead } from "./paths.ts"

const usualTimeMs = 120_000
const longestTimeMs = 1_800_000
const mostCaptured = 1_048_576

const program = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh"
export const shellCommand = (command: string): readonly string[] => [program, "-c", command]

export const commandInput = {
  command: z.string().min(1).max(100_000),
  cwd: z.string().min(1).optional().describe("The working folder, if not said."),
}

export const commandTouches = async (
  input: { command: string; cwd?: string | undefined },
  { cwd }: { cwd: string },
) => [{ kind: "command" as const, command: input.command, cwd: await realPath(input.cwd ?? ".", cwd) }]

export const shell = (processes: Processes) =>
  defineTool({
    name: "shell",
    description:
      "Runs a shell command to its end and gives its output and exit code. " +
      "It has no input and no terminal, and its background children end with it; use process_start for servers and dialogs.",
    input: z.strictObject({
      ...commandInput,
      time_limit_ms: z.int().min(1).max(longestTimeMs).optional().describe(`${usualTimeMs}, if not said.`),
    }),
    effect: "once",
    side_effects: ["read", "write", "external"],
    capabilities: ["shell"],
    touches: commandTouches,
    async run({ command, cwd = ".", time_limit_ms = usualTimeMs }, run) {
      const place = await toRead(cwd, run)
      if (!place.ok) return place.failure
      const capture = new Capture(mostCaptured)
      const started = await processes.start({
        command: shellCommand(command),
        cwd: place.path,
        roots: run.roots,
        boundary: run.boundary,
        owner: ownerOf(run),
        record: run.record,
        ...(run.env && { env: run.env }),
        time_limit_ms,
        observe: (_, bytes) => capture.add(bytes),
      })
      if (!started.ok) return notStarted(started)
      const end = await untilEnd(processes, started, run.signal)
      return outcomeOf(end, capture.take(), run.signal.aborted)
    },
  })

export const ownerOf = ({ session_id, thread_id, turn_id, tool_call_id }: ToolRun) => ({
  session_id,
  thread_id,
  turn_id,
  tool_call_id,
})

export function notStarted(started: Extract<Started, { ok: false }>): ToolOutcome {
  if (started.code === "call_over") return failed("interrupted", started.message)
  if (started.code === "spawn_error") return failed("tool_error", started.message)
  const message = `The boundary asked for cannot be applied: ${started.message}. Nothing was run.`
  return failed("permission_denied", message, "Ask a person whether it may run outside of a sandbox.")
}

async function untilEnd(
  processes: Processes,
  { process_id, ended }: Extract<Started, { ok: true }>,
  signal: AbortSignal,
): Promise<ProcessEnd> {
  const stop = () => void processes.terminate(process_id, { reason: "Its call was stopped.", by: "runtime" })
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    return await ended
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

function outcomeOf(end: ProcessEnd, output: string | Uint8Array, stopped: boolean): ToolOutcome {
  const { process_id, exit_code, signal, violations, duration_ms } = end
  if (end.timed_out) return { ...failed("time_limit", end.message ?? "Its time was over."), output }
  if (end.status === "terminated" || stopped)
    return { ...failed("interrupted", end.message ?? "It was stopped."), output }
  if (end.status === "failed")
    return { ...failed("tool_error", end.message ?? "It did not end by itself."), output }
  if (violations.length > 0 && exit_code !== 0) {
    const what = violations.map(({ operation, target }) => `${operation} ${target}`).join(", ")
    const message = `The sandbox prevented it (${what}); the command ended with ${exit_code}.`
    return { ...failed("sandbox_violation", message, "Stay inside of the workspace, or ask."), output }
  }
  const { stdout_bytes, stderr_bytes, complete } = end.output
  const data = { process_id, exit_code, signal, duration_ms, stdout_bytes, stderr_bytes, complete }
  if (typeof output !== "string") return { ok: true, output, data }
  const status = exit_code === 0 ? "" : `(exit code ${exit_code})`
  const told = [output.replace(/\n$/, ""), status].filter((part) => part !== "").join("\n")
  return { ok: true, output: told || "(no output)", data }
}
