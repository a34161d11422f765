import type { Draft } from "../draft.ts"
import type { EventClass, PayloadOf } from "../events/index.ts"
import { actionReducers } from "./action.ts"
import { agentReducers } from "./agent.ts"
import { artifactReducers } from "./artifact.ts"
import { contextReducers } from "./context.ts"
import { diagnosticReducers } from "./diagnostic.ts"
import { messagesReducers } from "./messages.ts"
import { planReducers } from "./plan.ts"
import { queueReducers } from "./queue.ts"
import { runReducers } from "./run.ts"
import { sessionReducers } from "./session.ts"
import { syncedReducers } from "./synced.ts"
import { taskReducers } from "./task.ts"
import { teamReducers } from "./team.ts"
import { textReducers } from "./text.ts"
import { toolReducers } from "./tool.ts"

/** One reducer a class: leave one out and the compiler names it. */
export type Reducers<T extends EventClass = EventClass> = {
  [K in T]: (draft: Draft, payload: PayloadOf<K>) => void
}

export const reducers: Reducers = {
  ...sessionReducers,
  ...runReducers,
  ...planReducers,
  ...textReducers,
  ...toolReducers,
  ...actionReducers,
  ...queueReducers,
  ...taskReducers,
  ...agentReducers,
  ...teamReducers,
  ...contextReducers,
  ...artifactReducers,
  ...syncedReducers,
  ...messagesReducers,
  ...diagnosticReducers,
}

/** The baseline classes: those that have a reducer. */
export const eventClasses = Object.keys(reducers) as readonly EventClass[]
export const isEventClass = (type: string): type is EventClass => Object.hasOwn(reducers, type)
