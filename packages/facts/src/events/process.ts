import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, Names, SequenceRange, Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"
import { NetworkRule } from "./sandbox.ts"

const on = { version: 1, scope: "thread", optional: ["step_id", "tool_call_id"] } as const
const process_id = Id
/** A code that was not observed reads "unknown", never 0. */
export const ExitCode = z.union([z.int(), z.literal("unknown")])
const ended = {
  process_id,
  exit_code: ExitCode,
  signal: z.string().optional(),
  duration_ms: Count,
  output: z
    .object({ stdout_bytes: Count, stderr_bytes: Count, complete: z.boolean(), refs: z.array(Ref) })
    .optional(),
  supersedes: SequenceRange.optional(),
}

export const ProcessStarted = defineEvent("process.started", {
  ...on,
  doc: "A process was spawned inside the boundary that it names.",
  payload: z.object({
    process_id,
    command: z.array(z.string()).min(1),
    cwd: Text,
    sandbox_profile: Text,
    network: NetworkRule,
    stdin: z.enum(["open", "closed"]),
    tty: z.boolean(),
    /** Declared to outlive its turn. */
    long_lived: z.boolean(),
    env_refs: Names.optional(),
    /** The operating system's number and start time find an orphan after a crash; neither is an id. */
    os: z.object({ pid: z.int().min(1), started_at: Text }).optional(),
    time_limit_ms: z.int().min(1).optional(),
  }),
})

export const ProcessOutput = defineEvent("process.output", {
  ...on,
  doc: "Bytes of one channel, in order; large or binary chunks come as a ref.",
  payload: z.object({
    process_id,
    channel: z.enum(["stdout", "stderr", "pty"]),
    offset: z.int().min(0),
    bytes: z.int().min(0),
    text: z.string().optional(),
    ref: Ref.optional(),
  }),
})

export const ProcessInput = defineEvent("process.input", {
  ...on,
  doc: "The process accepted bytes on stdin, or its stdin was closed.",
  payload: z.object({
    process_id,
    bytes: z.int().min(0),
    preview: Preview.optional(),
    ref: Ref.optional(),
    closes: z.boolean(),
  }),
})

export const ProcessCompleted = defineEvent("process.completed", {
  ...on,
  doc: "The process exited by itself, with any code; whether that is a failure is for its tool to say.",
  payload: z.object(ended),
})

export const ProcessFailed = defineEvent("process.failed", {
  ...on,
  doc: "The process could not be spawned or was ended by a foreign signal.",
  payload: z.object({ ...ended, cause: z.enum(["spawn_error", "foreign_signal", "lost"]), message: Text }),
})

export const ProcessTerminated = defineEvent("process.terminated", {
  ...on,
  doc: "The runtime ended the whole process group and its exit is proven.",
  payload: z.object({
    ...ended,
    reason: Text,
    by: z.enum(["user", "policy", "runtime"]),
  }),
})

export const processEvents = [
  ProcessStarted,
  ProcessOutput,
  ProcessInput,
  ProcessCompleted,
  ProcessFailed,
  ProcessTerminated,
] as const
export type ProcessEvent = EventOf<(typeof processEvents)[number]>
type Of<T extends ProcessEvent["type"]> = Extract<ProcessEvent, { type: T }>
type End = Of<"process.completed" | "process.failed" | "process.terminated">

export type Process = {
  process_id: string
  status: "unknown" | "running" | "completed" | "failed" | "terminated"
  thread_id: string
  turn_id?: string | undefined
  tool_call_id?: string | undefined
  started?: Of<"process.started">["payload"]
  stdin: "open" | "closed" | "unknown"
  stdin_bytes: number
  /** Bytes seen so far, by channel. */
  output: Readonly<Record<"stdout" | "stderr" | "pty", number>>
  output_refs: readonly Ref[]
  exit_code: z.infer<typeof ExitCode>
  signal?: string | undefined
  ended?: End["payload"]
  started_at?: string
  ended_at?: string
  late: number
}
const blank: Process = {
  process_id: "",
  status: "unknown",
  thread_id: "",
  stdin: "unknown",
  stdin_bytes: 0,
  output: { stdout: 0, stderr: 0, pty: 0 },
  output_refs: [],
  exit_code: "unknown",
  late: 0,
}
export const processEnded = (process: Process): boolean =>
  process.status !== "unknown" && process.status !== "running"

function placed(s: Process, e: ProcessEvent): Process {
  if (s.process_id !== "") return s
  const { thread_id, turn_id, tool_call_id } = e
  return { ...s, process_id: e.payload.process_id, thread_id, turn_id, tool_call_id }
}

function end(s: Process, e: End, status: Process["status"]): Process {
  if (processEnded(s)) return late(s)
  const { exit_code, signal, output } = e.payload
  const output_refs = output?.refs ?? s.output_refs
  const ended_at = e.timestamp
  return {
    ...placed(s, e),
    status,
    exit_code,
    signal,
    output_refs,
    stdin: "closed",
    ended: e.payload,
    ended_at,
  }
}

export const process = fold<Process, ProcessEvent>(blank, {
  "process.started": (s, e) =>
    s.status !== "unknown"
      ? late(s)
      : {
          ...placed(s, e),
          status: "running",
          started: e.payload,
          stdin: e.payload.stdin,
          started_at: e.timestamp,
        },
  "process.output": (s, e) => {
    if (processEnded(s)) return late(s)
    const { channel, offset, bytes, ref } = e.payload
    const output = { ...s.output, [channel]: Math.max(s.output[channel], offset + bytes) }
    return { ...placed(s, e), output, output_refs: ref ? [...s.output_refs, ref] : s.output_refs }
  },
  "process.input": (s, e) => {
    if (processEnded(s)) return late(s)
    const stdin = e.payload.closes ? "closed" : s.stdin
    return { ...placed(s, e), stdin, stdin_bytes: s.stdin_bytes + e.payload.bytes }
  },
  "process.completed": (s, e) => end(s, e, "completed"),
  "process.failed": (s, e) => end(s, e, "failed"),
  "process.terminated": (s, e) => end(s, e, "terminated"),
})

export const processes = family(process, (e) => e.payload.process_id, { ended: processEnded })
