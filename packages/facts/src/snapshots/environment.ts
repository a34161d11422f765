import { z } from "zod"
import { processEnded } from "../events/process.ts"
import { KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

const Unavailable = z.literal("unavailable")

/** What only the host knows; secret values are replaced by refs before they come here. */
export const HostEnvironment = z.object({
  cwd: Text,
  workspace_roots: z.union([z.array(z.string()), Unavailable]),
  env_refs: z.union([z.array(z.object({ name: Text, ref: Text })), Unavailable]),
  process_limits: z.union([z.record(z.string(), z.union([z.number(), z.string()])), Unavailable]),
})

export const ExecutionEnvironmentSnapshot = defineSnapshot("execution_environment_snapshot", {
  version: 1,
  doc: "Working directory, workspace roots, env refs, process limits and active processes.",
  schema: z.object({
    ...reflected,
    ...HostEnvironment.shape,
    active_processes: z.array(
      z.object({
        process_id: z.string(),
        command: z.union([z.array(z.string()), z.literal("unknown")]),
        cwd: Text,
        sandbox_profile: Text,
        network: Text,
        long_lived: z.union([z.boolean(), z.literal("unknown")]),
        stdin: z.enum(["open", "closed", "unknown"]),
        started_at: KnownTime,
        thread_id: z.string(),
        turn_id: z.string().optional(),
      }),
    ),
  }),
})
export type ExecutionEnvironmentSnapshot = z.infer<typeof ExecutionEnvironmentSnapshot.schema>

export function executionEnvironmentSnapshot(
  state: SessionState,
  host: Partial<z.infer<typeof HostEnvironment>> = {},
  freshness?: Freshness,
): ExecutionEnvironmentSnapshot {
  return {
    ...reflects(state, freshness),
    cwd: host.cwd ?? "unavailable",
    workspace_roots: host.workspace_roots ?? "unavailable",
    env_refs: host.env_refs ?? "unavailable",
    process_limits: host.process_limits ?? "unavailable",
    active_processes: Object.values(state.entities.processes)
      .filter((process) => !processEnded(process))
      .map(({ process_id, started, stdin, started_at, thread_id, turn_id }) => ({
        process_id,
        command: started?.command ?? "unknown",
        cwd: started?.cwd ?? "unknown",
        sandbox_profile: started?.sandbox_profile ?? "unknown",
        network: started?.network ?? "unknown",
        long_lived: started?.long_lived ?? "unknown",
        stdin,
        started_at: started_at ?? "unknown",
        thread_id,
        turn_id,
      })),
  }
}
