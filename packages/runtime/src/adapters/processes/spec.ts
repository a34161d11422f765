import type { Boundary } from "../../ports/tool.ts"
import type { Applied } from "../../sandbox/sandbox.ts"
import type { Channel } from "./child.ts"
import type { ProcessEnd } from "./ended.ts"
import type { OsIdentity } from "./identity.ts"
import type { RecordFacts } from "./recorder.ts"

export type ProcessOwner = { session_id: string; thread_id: string; turn_id?: string; tool_call_id?: string }

export type ProcessSpec = {
  command: readonly string[]
  cwd: string
  roots: readonly string[]
  boundary: Boundary
  owner: ProcessOwner
  /** Where its facts go for as long as it lives; false ends the process. */
  record: RecordFacts
  tty?: { columns: number; rows: number }
  /** Closed, if not said; a terminal's is always open. */
  stdin?: "open" | "closed"
  /** Declared to outlive its turn. */
  long_lived?: boolean
  time_limit_ms?: number
  /** Beside what every process gets. */
  env?: Readonly<Record<string, string>>
  observe?: (channel: Channel, bytes: Uint8Array) => void
}

export type Started =
  | { ok: true; process_id: string; os: OsIdentity | undefined; ended: Promise<ProcessEnd> }
  | { ok: false; process_id: string; code: "boundary_unavailable"; message: string; applied: Applied }
  | { ok: false; process_id: string; code: "spawn_error" | "call_over"; message: string }

type NotFound = { ok: false; code: "not_found"; message: string }
export type Written =
  | { ok: true; bytes: number }
  | NotFound
  | { ok: false; code: "wrong_state" | "unread"; message: string }
export type Terminated = { ok: true; outcome: "terminated" | "no_op"; end: ProcessEnd } | NotFound

export type Listed = ProcessOwner & {
  process_id: string
  command: readonly string[]
  long_lived: boolean
  stdin: "open" | "closed"
}

export const notFound = (process_id: string): NotFound => ({
  ok: false,
  code: "not_found",
  message: `There is no process ${process_id} here.`,
})
export const wrongState = (message: string): Written => ({ ok: false, code: "wrong_state", message })

export const isOf = (owner: ProcessOwner, wanted: Partial<ProcessOwner>): boolean =>
  (["session_id", "thread_id", "turn_id", "tool_call_id"] as const).every(
    (name) => wanted[name] === undefined || wanted[name] === owner[name],
  )
