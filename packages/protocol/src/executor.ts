import type { ExecutorType, SideEffect, Visibility } from "./action.ts"

/** What the runtime can execute with. The first five fields are what an agent is shown. */
export type Executor = {
  name: string
  type: ExecutorType
  description: string
  capabilities: readonly string[]
  can_execute?: boolean
  /** Checks input; gives problems with paths relative to the input. Absent: anything goes. */
  check?: (input: Readonly<Record<string, unknown>>) => readonly { path: string; message: string }[]
  side_effects?: readonly SideEffect[]
  idempotent?: boolean
  cost?: number
  available?: boolean
  visibility?: Visibility
  time_limit_ms?: number
  /** Names of input fields that hold paths of files. */
  files?: readonly string[]
}

/** What an agent may do. A child's authority is never more than its parent's. */
export type Authority = {
  agent: string
  /** Whether this agent may emit the protocol at all. */
  enabled: boolean
  /** Names of executors that it may use; absent: all. */
  executors?: readonly string[]
  depth: number
}
