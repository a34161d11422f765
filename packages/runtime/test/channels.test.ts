import type { ChannelSummary } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { keptWindow } from "../src/control/channels.ts"
import type { Runtime } from "../src/index.ts"
import {
  done,
  echoModel,
  ends,
  facts,
  handModel,
  openRuntime,
  refused,
  submit,
  types,
  until,
} from "./harness.ts"
import { agentWith, asking, fakeTool, linesModel, of } from "./loop/given.ts"

const peer = { kind: "websocket", native_peer_id: "phone-1" }
const resume_token = "a-resume-token"

async function opened(model = echoModel()) {
  const { runtime, directory } = await openRuntime(model)
  const { session_id, thread_id } = await submit(runtime, "Hello")
  if (model.provider === "echo") await until(runtime, session_id, ends("turn.completed"))
  const channel_id = await openOn(runtime, session_id)
  return { runtime, directory, session_id, thread_id, channel_id }
}

async function openOn(runtime: Runtime, session_id: string, more = {}): Promise<string> {
  const made = await runtime.channels.open({ session_id, ...peer, resume_token, ...more })
  if (!made.ok) throw new Error(made.refusal.message)
  return made.result.channel_id
}

function summary(runtime: Runtime, session_id: string): ChannelSummary["channels"] {
  const outcome = runtime.snapshot("channel_summary", { session_id })
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  return (outcome.result as ChannelSummary).channels
}

type Resumed = { outcome: string; cursor: number; events: { sequence: number }[]; snapshot?: unknown }

describe("reconnect_channel", () => {
  it("[RT-CMD-46] fresh cursor: channel.resumed and no event", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const cursor = runtime.log.head(session_id)
    const result = await done<Resumed>(runtime, "reconnect_channel", { channel_id, cursor, resume_token })
    expect(result).toEqual({ outcome: "resumed", events: [], cursor })
    expect(facts(runtime, session_id).at(-1)).toMatchObject({
      type: "channel.resumed",
      payload: { channel_id, native_peer_id: "phone-1", cursor },
    })
  })

  it("[RT-CMD-46] old cursor: exactly the events after it", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const head = runtime.log.head(session_id)
    const input = { channel_id, cursor: 3, resume_token }
    const result = await done<Resumed>(runtime, "reconnect_channel", input)
    expect(result.events).toEqual(facts(runtime, session_id).slice(3, head))
    expect(result.cursor).toBe(head)
  })

  it("[RT-CMD-46] a cursor out of the kept window: snapshot.repaired and a snapshot", async () => {
    const { runtime, directory, session_id, channel_id } = await opened()
    const expected = runtime.log.head(session_id)
    const some = Array.from({ length: keptWindow + 1 }, (_, i) => ({
      event_id: `evt_filler${i}`,
      text: JSON.stringify({
        type: "x-test.filler",
        session_id,
        sequence: expected + i + 1,
        schema_version: 1,
        payload: {},
      }),
    }))
    await runtime.log.append({ stream: session_id, expected, facts: some })
    // The test wrote behind the back of the runtime, so the session is opened anew.
    await runtime.close()
    const again = (await openRuntime(echoModel(), { directory })).runtime
    const head = again.log.head(session_id)
    const result = await done<Resumed>(again, "reconnect_channel", { channel_id, cursor: 1, resume_token })
    expect(result).toMatchObject({ outcome: "repaired", cursor: head, snapshot: { sequence: head } })
    expect(facts(again, session_id).slice(head)).toMatchObject([
      { type: "snapshot.updated" },
      {
        type: "snapshot.repaired",
        payload: { cause: "cursor_out_of_window", reflects: head, missing: { from: 2, to: head } },
      },
      { type: "channel.resumed", payload: { cursor: head } },
    ])
  })

  it.each(["future", "foreign"])("[RT-CMD-46] a %s cursor is a bad one", async (kind) => {
    const { runtime, session_id, channel_id } = await opened()
    const other = await submit(runtime, "A longer one")
    await until(runtime, other.session_id, ends("turn.completed"))
    for (let i = 0; i < 4; i++) await openOn(runtime, other.session_id)
    const before = runtime.log.head(session_id)
    const cursor = kind === "future" ? before + 1 : runtime.log.head(other.session_id)
    const input = { channel_id, cursor, resume_token }
    expect(await refused(runtime, "reconnect_channel", { input })).toMatchObject({ code: "bad_cursor" })
    expect(runtime.log.head(session_id)).toBe(before)
  })

  it("[RT-CMD-46] a false token is refused", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const before = runtime.log.head(session_id)
    const input = { channel_id, cursor: 1, resume_token: "another" }
    expect(await refused(runtime, "reconnect_channel", { input })).toMatchObject({
      code: "not_permitted",
      field: "input.resume_token",
    })
    expect(runtime.log.head(session_id)).toBe(before)
  })

  it.each(["reconnect_channel", "ack_events"])(
    "[RT-CMD-3] %s of an unknown channel is not_found",
    async (name) => {
      const { runtime } = await opened()
      const token = name === "ack_events" ? {} : { resume_token }
      const input = { channel_id: "chn_none", cursor: 0, ...token }
      expect(await refused(runtime, name, { input })).toMatchObject({ code: "not_found", id: "chn_none" })
    },
  )

  it("[RT-CMD-4] a repeat under its command_id gives the first answer and appends nothing", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const input = { channel_id, cursor: 2, resume_token }
    const first = await done(runtime, "reconnect_channel", input, "cmd_r")
    const head = runtime.log.head(session_id)
    expect(await done(runtime, "reconnect_channel", input, "cmd_r")).toEqual(first)
    expect(runtime.log.head(session_id)).toBe(head)
  })
})

describe("ack_events", () => {
  it("[RT-CMD-47] forward moves; back and repeat are no-ops; beyond the head is bad_cursor; the stream does not grow", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const head = runtime.log.head(session_id)
    const ack = (cursor: number) => runtime.execute("ack_events", { input: { channel_id, cursor } })
    // It began at the fact before its own.
    expect(await ack(head)).toEqual({ ok: true, result: { outcome: "moved", acknowledged: head } })
    expect(await ack(head - 1)).toEqual({ ok: true, result: { outcome: "no_op", acknowledged: head } })
    expect(await ack(head)).toEqual({ ok: true, result: { outcome: "no_op", acknowledged: head } })
    expect(await ack(head + 1)).toMatchObject({ ok: false, refusal: { code: "bad_cursor" } })
    expect(runtime.log.head(session_id)).toBe(head)
    expect(summary(runtime, session_id)).toMatchObject([{ last_acknowledged: head }])
    expect(runtime.channels.acknowledged(channel_id)).toBe(head)
  })

  it("[RT-CMD-47] what was acknowledged is written down when the connection is lost, and survives a restart", async () => {
    const { runtime, directory, session_id, channel_id } = await opened()
    const head = runtime.log.head(session_id)
    await done(runtime, "ack_events", { channel_id, cursor: head })
    await runtime.channels.drop(channel_id, "gone")
    await runtime.close()
    const again = (await openRuntime(echoModel(), { directory })).runtime
    expect(again.channels.acknowledged(channel_id)).toBe(head)
  })

  it("[RT-SNAP-13] a channel that was connected when the host ended reads stale after the start", async () => {
    const { runtime, directory, session_id } = await opened()
    expect(summary(runtime, session_id)).toMatchObject([{ connection: "connected", peer: "current" }])
    await runtime.close()
    const again = (await openRuntime(echoModel(), { directory })).runtime
    expect(summary(again, session_id)).toMatchObject([{ connection: "unknown", peer: "stale" }])
  })
})

describe("the life of a channel", () => {
  it("[RT-EVT-27] connected, message, disconnected, resumed: each at its moment, with channel and native ids", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const input = [{ kind: "text" as const, text: "From the phone" }]
    await runtime.channels.message(channel_id, { native_message_id: "m1", native_task_id: "t1", input })
    await runtime.channels.drop(channel_id, "the phone sleeps")
    await runtime.channels.drop(channel_id, "again")
    const cursor = runtime.log.head(session_id)
    await done(runtime, "reconnect_channel", { channel_id, cursor, resume_token })
    const ids = { channel_id, native_peer_id: "phone-1" }
    const seen = facts(runtime, session_id).filter(({ type }) => type.startsWith("channel."))
    expect(seen.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: "channel.connected", payload: { ...ids, kind: "websocket", cursor: expect.any(Number) } },
      {
        type: "channel.message",
        payload: {
          ...ids,
          native_message_id: "m1",
          native_task_id: "t1",
          direction: "inbound",
          preview: { text: "From the phone", whole: true },
        },
      },
      {
        type: "channel.disconnected",
        payload: { ...ids, reason: "the phone sleeps", acknowledged: expect.any(Number) },
      },
      { type: "channel.resumed", payload: { ...ids, cursor } },
    ])
  })

  it("[RT-CHAN-1] identity, native ids and mappings stay across reconnects, in both directions", async () => {
    const { runtime, session_id } = await opened()
    const mappings = [
      { native_task_id: "n-1", task_id: "tsk_1" },
      { native_task_id: "n-2", task_id: "tsk_2" },
    ]
    const channel_id = await openOn(runtime, session_id, { mappings, native_peer_id: "editor-7" })
    for (let round = 0; round < 3; round++) {
      await runtime.channels.drop(channel_id, "cut")
      const cursor = runtime.log.head(session_id)
      await done(runtime, "reconnect_channel", { channel_id, cursor, resume_token })
    }
    const channel = summary(runtime, session_id).find((one) => one.channel_id === channel_id)
    expect(channel).toMatchObject({ native_peer_id: "editor-7", connection: "connected", mappings })
    const there = new Map(channel?.mappings.map((one) => [one.native_task_id, one.task_id]))
    const back = new Map(channel?.mappings.map((one) => [one.task_id, one.native_task_id]))
    expect([there.get("n-2"), back.get("tsk_1")]).toEqual(["tsk_2", "n-1"])
  })

  it("[RT-CHAN-2] a drop during a running turn: work goes on, the peer reads stale, nothing is lost or doubled", async () => {
    const hand = handModel()
    const { runtime, session_id, channel_id } = await opened(hand.model)
    const call = await hand.call(0)
    call.text("One ")
    const before = (await until(runtime, session_id, ends("model.delta"))).at(-1)?.sequence ?? 0
    await runtime.channels.drop(channel_id, "the train entered a tunnel")
    expect(summary(runtime, session_id)).toMatchObject([{ connection: "disconnected", peer: "stale" }])
    call.text("two.")
    call.finish()
    const all = await until(runtime, session_id, ends("turn.completed"))
    expect(types(all)).not.toContain("turn.failed")
    const head = runtime.log.head(session_id)
    const input = { channel_id, cursor: before, resume_token }
    const { events } = await done<Resumed>(runtime, "reconnect_channel", input)
    const missed = facts(runtime, session_id).filter(({ sequence }) => sequence > before && sequence <= head)
    expect(events).toEqual(missed)
    expect(summary(runtime, session_id)).toMatchObject([{ connection: "connected", peer: "current" }])
  })

  it("[RT-CHAN-1] a connection that is given up late takes nothing from the one that resumed meanwhile", async () => {
    const { runtime, session_id, channel_id } = await opened()
    const resume = async () => {
      const cursor = runtime.log.head(session_id)
      return done<Resumed>(runtime, "reconnect_channel", { channel_id, cursor, resume_token })
    }
    const [first, second] = [await resume(), await resume()]
    await runtime.channels.drop(channel_id, "late", first.cursor)
    expect(summary(runtime, session_id)).toMatchObject([{ peer: "current" }])
    expect(types(facts(runtime, session_id))).not.toContain("channel.disconnected")
    await runtime.channels.drop(channel_id, "its own", second.cursor)
    expect(summary(runtime, session_id)).toMatchObject([{ peer: "stale" }])
  })

  it("[RT-CHAN-4] one native id takes effect once, also across a reconnect and a restart", async () => {
    const { runtime, directory, session_id, channel_id } = await opened()
    const message = { native_message_id: "m1", input: [{ kind: "text" as const, text: "Once" }] }
    const first = await runtime.channels.message(channel_id, message)
    expect(first).toMatchObject({ ok: true, result: { outcome: "taken" } })
    await until(runtime, session_id, ends("turn.completed", 2))
    const turn = first.ok && first.result.turn
    const again = { ok: true, result: { outcome: "no_op", turn } }
    expect(await runtime.channels.message(channel_id, message)).toEqual(again)
    await runtime.channels.drop(channel_id, "cut")
    const cursor = runtime.log.head(session_id)
    await done(runtime, "reconnect_channel", { channel_id, cursor, resume_token })
    expect(await runtime.channels.message(channel_id, message)).toEqual(again)
    await runtime.close()
    const later = (await openRuntime(echoModel(), { directory })).runtime
    expect(await later.channels.message(channel_id, message)).toEqual(again)
    expect(of(facts(later, session_id), "turn.submitted")).toHaveLength(2)
    expect(of(facts(later, session_id), "channel.message")).toHaveLength(1)
  })
})

describe("the permission bridge", () => {
  async function waiting() {
    const write = fakeTool("write")
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "write" }] }, { text: "Written." }])
    const { runtime } = await openRuntime(model, { agent: agentWith([write], asking) })
    const { session_id } = await submit(runtime, "Write")
    const seen = await until(runtime, session_id, ends("action.required"))
    const action_id = of(seen, "action.required")[0]?.action_id ?? ""
    const channel_id = await openOn(runtime, session_id)
    return { runtime, session_id, channel_id, action_id, write }
  }
  const returned = (runtime: Runtime, session_id: string) =>
    of(facts(runtime, session_id), "channel.permission_returned").map(({ action_id, payload }) => ({
      action_id,
      accepted: payload.accepted,
      refusal: payload.refusal,
    }))

  it("[RT-CHAN-3] a forwarded approval keeps its action id and its answer is the answer to that action", async () => {
    const { runtime, session_id, channel_id, action_id, write } = await waiting()
    expect(runtime.channels.waiting(channel_id)).toEqual([action_id])
    const shown = await runtime.channels.forward(channel_id, action_id)
    expect(shown).toMatchObject({ decided_by: "human", decisions: expect.any(Array) })
    expect(await runtime.channels.forward(channel_id, action_id)).toEqual(shown)
    expect(summary(runtime, session_id)).toMatchObject([
      { permission_bridge: { pending_action_ids: [action_id] } },
    ])
    const by = { id: "tok_ada", name: "Ada" }
    const outcome = await runtime.channels.answer(channel_id, { action_id, decision: "allow" }, by)
    expect(outcome).toEqual({ ok: true, result: { action_id, status: "resolved", decision: "allow" } })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
    const bridge = ["channel.permission_forwarded", "channel.permission_returned", "action.resolved"]
    expect(types(seen).filter((type) => bridge.includes(type))).toEqual(bridge)
    expect(of(seen, "channel.permission_forwarded")[0]).toMatchObject({ action_id, payload: { channel_id } })
    expect(of(seen, "action.resolved")[0]?.payload).toMatchObject({
      decider: { kind: "human", id: "tok_ada", channel_id },
    })
    expect(summary(runtime, session_id)).toMatchObject([{ permission_bridge: { pending_action_ids: [] } }])
  })

  it("[RT-EVT-27] forwarded and returned are facts of the session with channel and native ids", async () => {
    const { runtime, session_id, channel_id, action_id } = await waiting()
    await runtime.channels.forward(channel_id, action_id)
    await runtime.channels.answer(channel_id, { action_id, decision: "deny" })
    const ids = { channel_id, native_peer_id: "phone-1" }
    const seen = facts(runtime, session_id).filter(({ type }) => type.startsWith("channel.permission"))
    expect(seen).toMatchObject([
      { type: "channel.permission_forwarded", session_id, action_id, payload: ids },
      { type: "channel.permission_returned", session_id, action_id, payload: { ...ids, decision: "deny" } },
    ])
  })

  it("[RT-CHAN-3] returned twice: the second is refused and the first stands", async () => {
    const { runtime, session_id, channel_id, action_id } = await waiting()
    await runtime.channels.answer(channel_id, { action_id, decision: "deny" })
    const second = await runtime.channels.answer(channel_id, { action_id, decision: "allow" })
    expect(second).toMatchObject({ ok: false, refusal: { code: "already_resolved" } })
    expect(returned(runtime, session_id)).toEqual([
      { action_id, accepted: true, refusal: undefined },
      { action_id, accepted: false, refusal: "already_resolved" },
    ])
    expect(of(facts(runtime, session_id), "action.resolved")).toHaveLength(1)
  })

  it("[RT-CHAN-3] returned after the work was cancelled: refused", async () => {
    const { runtime, session_id, channel_id, action_id } = await waiting()
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await until(runtime, session_id, ends("turn.failed"))
    const late = await runtime.channels.answer(channel_id, { action_id, decision: "allow" })
    expect(late).toMatchObject({ ok: false, refusal: { code: "already_resolved", state: "cancelled" } })
    expect(await runtime.channels.forward(channel_id, action_id)).toBeUndefined()
    expect(runtime.channels.waiting(channel_id)).toEqual([])
  })

  it("[RT-CHAN-3] returned after expiry: refused", async () => {
    const question = fakeTool("question", {
      asks: () => ({
        action_type: "clarification",
        title: "Which?",
        decisions: [{ id: "answer", label: "Answer" }],
        deadline: new Date(0).toISOString(),
      }),
      side_effects: ["read"],
    })
    const { model } = linesModel([{ calls: [{ id: "a", tool: "question" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([question]) })
    const { session_id } = await submit(runtime, "Go")
    const channel_id = await openOn(runtime, session_id)
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const action_id = of(seen, "action.required")[0]?.action_id ?? ""
    const late = await runtime.channels.answer(channel_id, { action_id, decision: "answer" })
    expect(late).toMatchObject({ ok: false, refusal: { code: "action_expired" } })
    expect(returned(runtime, session_id)).toEqual([{ action_id, accepted: false, refusal: "action_expired" }])
  })

  it("[RT-CHAN-3] returned for an unknown action: not_found, and nothing is written", async () => {
    const { runtime, session_id, channel_id } = await waiting()
    const before = runtime.log.head(session_id)
    const answer = { action_id: "act_none", decision: "allow" }
    expect(await runtime.channels.answer(channel_id, answer)).toMatchObject({
      ok: false,
      refusal: { code: "not_found" },
    })
    expect(runtime.log.head(session_id)).toBe(before)
  })

  it("[RT-CHAN-3] a decision that was not offered: invalid_input, and the action stays open", async () => {
    const { runtime, session_id, channel_id, action_id } = await waiting()
    const outcome = await runtime.channels.answer(channel_id, { action_id, decision: "perhaps" })
    expect(outcome).toMatchObject({ ok: false, refusal: { code: "invalid_input", field: "decision" } })
    expect(returned(runtime, session_id)).toEqual([{ action_id, accepted: false, refusal: "invalid_input" }])
    expect(of(facts(runtime, session_id), "action.resolved")).toEqual([])
  })
})

describe("who sent a command", () => {
  it("stands as a reference on every fact that the command wrote, and on no other", async () => {
    const { runtime } = await openRuntime(echoModel())
    const by = { id: "tok_ada", name: "Ada" }
    const input = { create: "session", input: [{ kind: "text", text: "Hi" }] }
    const outcome = await runtime.execute("submit_turn", { input }, by)
    const { session_id } = (outcome as { result: { session_id: string } }).result
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const ref = { uri: "factum:actor/tok_ada", kind: "record", title: "Ada" }
    expect(types(seen.filter(({ refs }) => refs?.some(({ uri }) => uri === ref.uri)))).toEqual([
      "session.created",
      "thread.started",
      "turn.submitted",
    ])
    expect(seen[0]?.refs).toEqual([ref])
  })
})
