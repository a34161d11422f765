import { expect, test } from "vitest"
import { sessionSnapshot, threadReadModel } from "../src/index.ts"
import { fact, given, stream } from "./given.ts"

const turn = (turn_id: string, call: string, thread_id = "thr_1") => {
  const place = { turn_id, thread_id }
  return [
    fact("turn.submitted", place),
    fact("turn.started", place),
    fact("run.status", place),
    fact("model.requested", { ...place, payload: { request_id: `req_${call}` } }),
    fact("model.completed", { ...place, payload: { request_id: `req_${call}` } }),
    fact("tool.started", { ...place, tool_call_id: `tcl_${call}` }),
    fact("tool.result", { ...place, tool_call_id: `tcl_${call}` }),
    fact("action.required", { ...place, action_id: `act_${call}` }),
    fact("action.resolved", { ...place, action_id: `act_${call}` }),
    fact("turn.completed", place),
  ]
}
const opened = [fact("session.created"), fact("thread.started")]
const boundaryAfter = (count: number) => ({ boundary: { sequence: count }, not_undone: [] })
const back = (count: number) => fact("history.rollback.completed", { payload: boundaryAfter(count) })

test("[RT-CTX-4] what came after the boundary leaves the read model, what came before stays", () => {
  const first = [...opened, ...turn("trn_1", "a")]
  const state = given(...first, ...turn("trn_2", "b"), back(first.length))
  const plain = given(...first)
  expect(sessionSnapshot(state).recent).toEqual(sessionSnapshot(plain).recent)
  expect(threadReadModel(state, "thr_1").last_outcome).toEqual(threadReadModel(plain, "thr_1").last_outcome)
  for (const name of ["turns", "runs", "modelRequests", "toolCalls", "actions"] as const)
    expect(Object.keys(state.entities[name])).toEqual(Object.keys(plain.entities[name]))
})

test("[RT-CTX-4] a rollback of one thread leaves the others alone", () => {
  const first = [...opened, ...turn("trn_1", "a")]
  const state = given(...first, ...turn("trn_2", "b", "thr_2"), ...turn("trn_3", "c"), back(first.length))
  expect(Object.keys(state.entities.turns)).toEqual(["trn_1", "trn_2"])
})

test("[RT-CTX-4] a summary of what has left is no longer in force, an older one is", () => {
  const summary = (compaction_id: string, to: number) =>
    fact("context.compaction.completed", { payload: { compaction_id, from: 1, to } })
  const first = [...opened, ...turn("trn_1", "a")]
  const facts = [
    ...first,
    summary("old", 5),
    ...turn("trn_2", "b"),
    summary("new", 20),
    back(first.length + 1),
  ]
  const state = given(...facts)
  const kept = state.entities.contexts.thr_1?.compactions.map(({ compaction_id }) => compaction_id)
  expect(kept).toEqual(["old"])
  expect(stream(...facts)).toHaveLength(facts.length)
})
