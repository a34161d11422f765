import type { Count } from "@factum/facts"
import type { ToolFact } from "../../ports/tool.ts"
import type { Violation } from "../../sandbox/sandbox.ts"
import type { Exit } from "./child.ts"
import type { OutputRecorder } from "./recorder.ts"

/** Who ends a process, and why. */
export type Ending = { reason: string; by: "user" | "policy" | "runtime"; time_limit?: boolean }

export type ProcessEnd = {
  process_id: string
  status: "completed" | "failed" | "terminated"
  exit_code: number | "unknown"
  signal?: string
  duration_ms: Count
  output: { stdout_bytes: number; stderr_bytes: number; complete: boolean }
  violations: readonly Violation[]
  /** Its time was over. */
  timed_out: boolean
  message?: string
}

type Seen = {
  process_id: string
  exit: Exit
  ending: Ending | undefined
  /** The driver's own complaint, when it could not set up the boundary. */
  driver: string | undefined
  duration_ms: Count
  output: Pick<OutputRecorder, "bytes" | "complete" | "refs">
  drained: boolean
  violations: readonly Violation[]
}

/** The one terminal fact of a process, and what its caller is told. */
export function endOf(seen: Seen): { fact: ToolFact; end: ProcessEnd } {
  const { process_id, exit, ending, duration_ms, violations } = seen
  const { bytes, complete, refs } = seen.output
  const sizes = {
    stdout_bytes: bytes.stdout + bytes.pty,
    stderr_bytes: bytes.stderr,
    complete: complete && seen.drained,
  }
  const common = {
    process_id,
    exit_code: exit.code,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    duration_ms,
  }
  const payload = { ...common, output: { ...sizes, refs: [...refs] } }
  const end = { ...common, output: sizes, violations, timed_out: ending?.time_limit === true }
  if (ending !== undefined) {
    const { reason, by } = ending
    const fact: ToolFact = { type: "process.terminated", payload: { ...payload, reason, by } }
    return { fact, end: { ...end, status: "terminated", message: reason } }
  }
  const failure = failureOf(exit, seen.driver)
  if (failure === undefined) {
    return { fact: { type: "process.completed", payload }, end: { ...end, status: "completed" } }
  }
  const fact: ToolFact = { type: "process.failed", payload: { ...payload, ...failure } }
  return { fact, end: { ...end, status: "failed", message: failure.message } }
}

function failureOf(exit: Exit, driver: string | undefined) {
  if (driver !== undefined) return { cause: "spawn_error" as const, message: driver }
  if (exit.signal === undefined) return undefined
  return { cause: "foreign_signal" as const, message: `It was ended from outside by ${exit.signal}.` }
}

/** A process that never came to be. */
export function spawnFailed(process_id: string, message: string): ToolFact {
  return {
    type: "process.failed",
    payload: { process_id, exit_code: "unknown", duration_ms: 0, cause: "spawn_error", message },
  }
}

/** A process of a former runtime whose end nobody saw. */
export function processLost(process_id: string, message: string): ToolFact {
  return {
    type: "process.failed",
    payload: { process_id, exit_code: "unknown", duration_ms: "unknown", cause: "lost", message },
  }
}
