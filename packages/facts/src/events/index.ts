import type { EventDefinition, EventOf } from "../define.ts"
import { actionEvents } from "./action.ts"
import { artifactEvents } from "./artifact.ts"
import { channelEvents } from "./channel.ts"
import { contextEvents } from "./context.ts"
import { costEvents } from "./cost.ts"
import { evidenceEvents } from "./evidence.ts"
import { historyEvents } from "./history.ts"
import { hookEvents } from "./hook.ts"
import { jobEvents } from "./job.ts"
import { limitEvents } from "./limit.ts"
import { modelEvents } from "./model.ts"
import { outputEvents } from "./output.ts"
import { permissionEvents } from "./permission.ts"
import { processEvents } from "./process.ts"
import { queueEvents } from "./queue.ts"
import { reasoningEvents } from "./reasoning.ts"
import { routingEvents } from "./routing.ts"
import { runEvents } from "./run.ts"
import { runtimeEvents } from "./runtime.ts"
import { sandboxEvents } from "./sandbox.ts"
import { sessionEvents } from "./session.ts"
import { SnapshotRepaired, SnapshotUpdated } from "./snapshot.ts"
import { subagentEvents } from "./subagent.ts"
import { taskEvents } from "./task.ts"
import { taskOrchestrationEvents } from "./task-orchestration.ts"
import { threadEvents } from "./thread.ts"
import { toolEvents } from "./tool.ts"
import { turnEvents } from "./turn.ts"

/** The standard classes of the specification, in its order. */
const standardEvents = [
  ...sessionEvents,
  ...threadEvents,
  ...turnEvents,
  ...taskEvents,
  ...runEvents,
  ...modelEvents,
  ...reasoningEvents,
  ...toolEvents,
  ...actionEvents,
  ...queueEvents,
  ...contextEvents,
  ...artifactEvents,
  ...evidenceEvents,
  ...subagentEvents,
  ...limitEvents,
  SnapshotUpdated,
  ...runtimeEvents,
] as const

/** The extended families of the specification, in its order. */
const extendedEvents = [
  ...permissionEvents,
  ...sandboxEvents,
  ...hookEvents,
  ...processEvents,
  ...routingEvents,
  ...taskOrchestrationEvents,
  ...costEvents,
  ...channelEvents,
  ...jobEvents,
  ...outputEvents,
  ...historyEvents,
  SnapshotRepaired,
] as const

export const allEvents = [...standardEvents, ...extendedEvents] as const

/** Any fact of the normalized classes; its `type` tells which. */
export type RuntimeEvent = EventOf<(typeof allEvents)[number]>
export type EventType = RuntimeEvent["type"]
export type EventOfType<T extends EventType> = Extract<RuntimeEvent, { type: T }>

export const definitions: ReadonlyMap<string, EventDefinition> = new Map(
  allEvents.map((definition): [string, EventDefinition] => [definition.type, definition]),
)
export const standardTypes: readonly EventType[] = standardEvents.map((definition) => definition.type)
export const extendedTypes: readonly EventType[] = extendedEvents.map((definition) => definition.type)
