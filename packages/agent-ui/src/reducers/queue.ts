import { change, open, track } from "../draft.ts"
import { given } from "../given.ts"
import type { Reducers } from "./index.ts"
import { queueFactsOf } from "./run.ts"
import { noSession } from "./session.ts"

export const queueReducers: Reducers<"queue.changed"> = {
  "queue.changed": (draft, payload) => {
    const { event } = draft
    const threadKey = payload.threadId ?? event.threadId ?? event.sessionId ?? noSession
    const queue = open(draft, "queues", threadKey, (base) => ({ ...base, threadKey, turns: [], facts: {} }))
    Object.assign(queue, given({ turns: payload.turns, policy: payload.policy }))
    const facts = queueFactsOf(payload)
    if (facts) queue.facts = { ...queue.facts, ...facts }
    const { steer } = payload
    if (steer === undefined) return
    queue.steer = steer
    const runId = steer.runId ?? event.runId
    const run = runId === undefined ? undefined : change(draft, "runs", runId)
    if (!run) return
    const said = {
      state: steer.state,
      ...given({ clientId: steer.clientId, text: steer.text, at: event.timestamp }),
    }
    // One input that is told of again changes its state; it is not a second input.
    const at = run.steered.findIndex((one) => one.clientId !== undefined && one.clientId === steer.clientId)
    run.steered = at < 0 ? [...run.steered, said] : run.steered.with(at, { ...run.steered[at], ...said })
    draft.event = { ...event, runId: run.runId }
    if (at < 0) track(draft, "steer", steer.clientId ?? `${run.runId}/steer/${run.steered.length}`)
  },
}
