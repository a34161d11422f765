import { expect, test } from "vitest"
import { fact } from "../../../facts/test/given.ts"
import { fromRuntime, readRuntime, readSpelling } from "../../src/adapters/runtime/index.ts"

const known = fact("turn.failed", { payload: { status: "cancelled", category: "interrupted" } })

test("an event in the runtime's spelling is handed on as it is", () => {
  const spelled = readSpelling(known)
  expect(spelled).toEqual({ ok: true, fact: known, respelled: [] })
  expect(spelled.ok && spelled.fact).toBe(known)
})

test("camelCase is read one to one, and told", () => {
  const foreign = {
    type: "subagent.spawned",
    eventId: "evt_1",
    timestamp: "2026-01-01T00:00:01.000Z",
    sequence: 1,
    schemaVersion: 1,
    sessionId: "ses_1",
    threadId: "thr_1",
    turnId: "trn_1",
    subagentId: "sub_1",
    payload: {
      childSessionId: "ses_2",
      isolation: { workspace: "shared", sandboxProfile: "strict" },
      metadata: { ownKey: 1 },
    },
  }
  expect(readSpelling(foreign)).toEqual({
    ok: true,
    fact: {
      type: "subagent.spawned",
      event_id: "evt_1",
      timestamp: "2026-01-01T00:00:01.000Z",
      sequence: 1,
      schema_version: 1,
      session_id: "ses_1",
      thread_id: "thr_1",
      turn_id: "trn_1",
      subagent_id: "sub_1",
      payload: {
        child_session_id: "ses_2",
        isolation: { workspace: "shared", sandbox_profile: "strict" },
        metadata: { ownKey: 1 },
      },
    },
    respelled: [
      "eventId",
      "schemaVersion",
      "sessionId",
      "threadId",
      "turnId",
      "subagentId",
      "payload.childSessionId",
      "payload.isolation.sandboxProfile",
    ],
  })
})

test.each([
  ["a status", { ...known, payload: { ...known.payload, status: "canceled" } }, known, ["payload.status"]],
  [
    "a state inside",
    { type: "x", payload: { items: [{ outcome: "canceled" }] } },
    { type: "x", payload: { items: [{ outcome: "cancelled" }] } },
    ["payload.items.outcome"],
  ],
  ["a class", { type: "task.canceled", payload: {} }, { type: "task.cancelled", payload: {} }, ["type"]],
])("canceled with one l is read: %s", (_, event, as, respelled) => {
  expect(readSpelling(event)).toEqual({ ok: true, fact: as, respelled })
})

test("the word in a text is nobody's state", () => {
  const event = { type: "x", payload: { title: "canceled", status: "running" } }
  expect(readSpelling(event)).toEqual({ ok: true, fact: event, respelled: [] })
})

test("[RT-VAL-14] two spellings in one event are refused with the fields", () => {
  expect(readSpelling({ type: "turn.started", event_id: "e", sessionId: "s", payload: {} })).toEqual({
    ok: false,
    reason: "The event mixes two spellings: sessionId, event_id.",
    fields: ["sessionId", "event_id"],
  })
})

test("a respelled event gives the same frame", () => {
  const {
    event_id: eventId,
    session_id: sessionId,
    thread_id: threadId,
    turn_id: turnId,
    schema_version: schemaVersion,
    ...rest
  } = known
  const spelled = readSpelling({ ...rest, eventId, sessionId, threadId, turnId, schemaVersion })
  if (!spelled.ok) throw new Error(spelled.reason)
  expect(readRuntime({ ...rest, eventId, sessionId, threadId, turnId, schemaVersion })).toEqual(
    fromRuntime(known),
  )
  expect(readRuntime(spelled.fact)).toEqual(fromRuntime(known))
})

test("an event without a payload or a type stays without", () => {
  expect(readSpelling({ eventId: "e" })).toEqual({
    ok: true,
    fact: { event_id: "e" },
    respelled: ["eventId"],
  })
})
