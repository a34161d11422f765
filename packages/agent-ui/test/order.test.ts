import { describe, expect, test } from "vitest"
import { type AgentUiState, acceptGap, declareStream, emptyState, reduce, repairsOf } from "../src/index.ts"
import { plainState } from "../src/plain.ts"
import { after, codes, delta, final, framesOf, given, inRun, partsOf, run, textsOf, tool } from "./given.ts"

const spoken = [
  run("started"),
  delta("a"),
  delta("b"),
  delta("c"),
  final("abc"),
  run("finished", {}, { phase: "completed" }),
]
const frames = framesOf(spoken)
const inOrder = plainState(given(...frames))
const oneByOne = (inputs: readonly unknown[]) =>
  inputs.reduce<ReturnType<typeof emptyState>>((state, input) => reduce(state, [input]), emptyState())

describe("order", () => {
  test("[UI-ORDER-1] frames in reverse take effect by sequence", () => {
    expect(plainState(given(...frames.toReversed()))).toEqual(inOrder)
    expect(plainState(oneByOne(frames.toReversed()))).toEqual(inOrder)
  })
  test("[UI-ORDER-1] timestamps do not count", () => {
    const timed = spoken.map((event, at) => ({ ...event, timestamp: `2026-01-01T00:00:${String(59 - at)}Z` }))
    expect(textsOf(given(...framesOf(timed).toReversed()))).toEqual(["abc"])
  })
  test("[UI-ORDER-1] events that imply their stream, in reverse in one batch and from 1 one by one", () => {
    const events = inRun(...spoken)
    expect(textsOf(given(...events.toReversed()))).toEqual(["abc"])
    const [first, ...rest] = events
    expect(textsOf(oneByOne([first, ...rest.toReversed()]))).toEqual(["abc"])
  })
  test("[UI-ORDER-1] a stream that begins later, out of order in one batch", () => {
    const late = inRun(...spoken).map((event) => ({ ...event, sequence: event.sequence + 40 }))
    expect(textsOf(given(...late.toReversed()))).toEqual(["abc"])
  })
  test("[UI-ORDER-2] a repeat takes effect once", () => {
    const state = given(...frames, ...frames)
    expect(plainState(state)).toEqual(inOrder)
    expect(codes(state)).toEqual([])
  })
  test("[UI-ORDER-2] a repeat with other content is a conflict, and the first one holds", () => {
    const state = given(...frames, { stream: "s1", sequence: 2, events: [delta("other")] })
    expect(plainState(state)).toEqual(inOrder)
    expect([...state.findings]).toEqual([
      expect.objectContaining({ code: "conflict", stream: "s1", sequence: 2 }),
    ])
  })
  test("[UI-ORDER-2] also while it waits", () => {
    const state = given(
      { stream: "s1", sequence: 3, events: [delta("b")] },
      { stream: "s1", sequence: 3, events: [delta("x")] },
    )
    expect(codes(state)).toEqual(["gap", "conflict"])
  })
  test.each([
    ["run", { runId: "r1" }, { runId: "r2" }],
    ["thread", { threadId: "t1" }, { threadId: "t2" }],
    ["task", { taskId: "k1" }, { taskId: "k2" }],
    ["child agent", { agentId: "a1" }, { agentId: "a2" }],
  ])("[UI-ORDER-3] two %s streams count apart", (_, one, other) => {
    const text = (ids: object, sessionId: string) => ({
      type: "text.delta",
      sessionId,
      messageId: `m-${sessionId}`,
      sequence: 1,
      payload: { delta: sessionId },
      ...ids,
    })
    const state = given(text(one, "s1"), text(other, "s2"))
    expect([textsOf(state, "m-s1"), textsOf(state, "m-s2")]).toEqual([["s1"], ["s2"]])
    expect(codes(state)).toEqual([])
  })
  test("[UI-ORDER-3] the same message id in two sessions is two messages", () => {
    const state = given(delta("mine"), delta("yours", { sessionId: "s2", runId: "r2" }))
    expect(textsOf(state, "m1")).toEqual(["mine"])
    expect([...(state.sessions.get("s2")?.messageIds ?? [])].map((id) => textsOf(state, id))).toEqual([
      ["yours"],
    ])
  })
  test("[UI-ORDER-4] a gap marks the stream and asks once, and known facts stay visible", () => {
    const [one, two, , four, five] = frames
    const state = given(one, two, four, five)
    expect(textsOf(state)).toEqual(["a"])
    expect(state.streams.get("s1")).toMatchObject({ applied: 2, waiting: 2, gap: { from: 3, to: 3 } })
    expect(repairsOf(state)).toEqual([{ stream: "s1", from: 3, to: 3 }])
    expect(codes(state)).toEqual(["gap"])
  })
  test("[UI-ORDER-4] once filled, the mark clears and the state is that of delivery in order", () => {
    const [one, two, three, four, five, six] = frames
    const state = after(given(one, two, four, five, six), three)
    expect(plainState(state)).toEqual(inOrder)
    expect(repairsOf(state)).toEqual([])
    expect(state.waiting).toBe(0)
  })
  test("[UI-ORDER-4] what the log does not have is accepted as missing", () => {
    const [one, , three] = frames
    const state = given(one, three)
    const mended = acceptGap(state, { stream: "s1", from: 2, to: 2 })
    expect(textsOf(mended)).toEqual(["b"])
    expect(repairsOf(mended)).toEqual([])
  })
  test("[UI-ORDER-4] a final that stands for its pruned deltas leaves no gap, and keeps what lies between", () => {
    const [one] = frames
    const state = given(
      one,
      { stream: "s1", sequence: 4, events: [tool("started")] },
      { stream: "s1", sequence: 6, events: [final("abc")], supersedes: { from: 2, to: 5 } },
    )
    expect(textsOf(state)).toEqual(["abc"])
    expect(state.tools.size).toBe(1)
    expect(state.streams.get("s1")).toMatchObject({ applied: 6, waiting: 0 })
    expect(repairsOf(state)).toEqual([])
    const late = after(
      state,
      { stream: "s1", sequence: 5, events: [tool("result")] },
      { stream: "s1", sequence: 5, events: [tool("result")] },
    )
    expect(late.tools.get("t1")?.status).toBe("output-available")
  })
  test("[UI-ORDER-4] a stream declared sparse has no gaps", () => {
    const state = reduce(declareStream(emptyState(), "s1", { kind: "sparse" }), [
      frames[0],
      frames[2],
      frames[4],
    ])
    expect(repairsOf(state)).toEqual([])
    expect(state.streams.get("s1")?.applied).toBe(5)
  })
  test("[UI-ORDER-4] numbers of a whole session are no gaps in its narrower streams", () => {
    const shared = [
      run("started"),
      { type: "agent.spawned", sessionId: "s1", runId: "r1", agentId: "a1", payload: { status: "running" } },
      delta("a"),
      { type: "agent.completed", sessionId: "s1", agentId: "a1", payload: { status: "completed" } },
      delta("b"),
    ].map((event, at) => ({ ...event, sequence: at + 1 }))
    for (const state of [
      given(...shared),
      oneByOne(shared),
      oneByOne([...shared.slice(0, 1), ...shared.slice(1).toReversed()]),
    ]) {
      expect(textsOf(state)).toEqual(["ab"])
      expect(state.agents.get("a1")?.ended).toBe(true)
      expect(repairsOf(state)).toEqual([])
    }
  })
  test("[UI-ORDER-4] more frames than may wait are let go and asked for by the repair", () => {
    const many = Array.from({ length: 10_050 }, (_, at) => ({ stream: "s1", sequence: at + 2, events: [] }))
    const state = given(...many)
    expect(state.streams.get("s1")).toMatchObject({ waiting: 10_000, gap: { from: 1, to: 1 } })
    const mended = after(state, { stream: "s1", sequence: 1, events: [] })
    expect(mended.streams.get("s1")).toMatchObject({ applied: 10_001, waiting: 0 })
  })
  test("[UI-ORDER-5] text, tool, text in one message are three parts in that order", () => {
    const state = given(...framesOf([delta("a"), tool("started", {}, { messageId: "m1" }), delta("b")]))
    expect(partsOf(state).map(({ kind }) => kind)).toEqual(["text", "tool", "text"])
    expect(textsOf(state)).toEqual(["a", "b"])
  })
  test("[UI-ORDER-6] open messages, tools and agents interleave freely", () => {
    const agent = (agentId: string, status: string) => ({
      type: "agent.changed",
      sessionId: "s1",
      agentId,
      payload: { status },
    })
    const state = given(
      ...framesOf([
        delta("a"),
        delta("x", { messageId: "m2" }),
        tool("started"),
        agent("a1", "running"),
        tool("started", {}, { toolCallId: "t2" }),
        delta("b"),
        agent("a2", "running"),
        tool("result", {}, { toolCallId: "t2" }),
        delta("y", { messageId: "m2" }),
        tool("result"),
        agent("a1", "completed"),
      ]),
    )
    expect([textsOf(state), textsOf(state, "m2")]).toEqual([["ab"], ["xy"]])
    expect([...state.tools.values()].map(({ status }) => status)).toEqual([
      "output-available",
      "output-available",
    ])
    expect(codes(state)).toEqual([])
  })
  test.each([
    ["run.status", run("status", {}, { phase: "acting" })],
    ["run.started", run("started", {}, { phase: "accepted" })],
    ["run.failed", run("failed")],
    ["tool.started", tool("started")],
    ["action.required", { type: "action.required", sessionId: "s1", runId: "r1", actionId: "x" }],
  ])("[UI-ORDER-7] %s after the end does not reopen the run", (_, late) => {
    const state = after(given(...frames), { stream: "s1", sequence: 7, events: [late] })
    expect(state.runs.get("r1")).toMatchObject({ ended: true, outcome: "success", phase: "completed" })
    expect(state.runs.size).toBe(1)
  })
  test("[UI-ORDER-7] a final after the end reconciles its part", () => {
    const state = given(
      run("started"),
      delta("Hel"),
      run("finished", {}, { phase: "completed" }),
      final("Hello", { partId: "m1/0" }),
    )
    expect(textsOf(state)).toEqual(["Hello"])
    expect(state.runs.get("r1")?.ended).toBe(true)
  })
  test("[UI-ORDER-8] events without sequence apply as they come, with their places marked", () => {
    const state = given(delta("a"), delta("b"))
    expect(textsOf(state)).toEqual(["ab"])
    expect(state.messages.get("m1")?.origin).toMatchObject({ assigned: true })
    expect(given(...frames).messages.get("m1")?.origin).not.toHaveProperty("assigned")
  })
  test("[UI-ENV-8] the specification's minimal example gives a running teammate, with no diagnostic", () => {
    const state = given({
      type: "agent.spawned",
      sequence: 42,
      sessionId: "session-lead",
      threadId: "thread-lead",
      taskId: "task-research",
      agentId: "researcher@delivery-team",
      parentSessionId: "session-lead",
      parentThreadId: "thread-lead",
      owner: "agent",
      scope: "agent",
      phase: "acting",
      surface: "team_roster",
      persistence: "snapshot",
      topology: "coordinator_team",
      payload: { agentName: "researcher", teamName: "delivery-team", role: "researcher", status: "running" },
    })
    expect(codes(state)).toEqual([])
    expect(state.agents.get("researcher@delivery-team")).toMatchObject({
      agentName: "researcher",
      status: "running",
      ended: false,
      origin: { surface: "team_roster", parentSessionId: "session-lead", parentThreadId: "thread-lead" },
    })
  })
})

describe("events without frames, numbered by their session", () => {
  const events = (agents: number, rounds: number) =>
    Array.from({ length: agents * rounds }, (_, at) => ({
      type: "agent.changed",
      sessionId: "s1",
      agentId: `a${(at * 7919) % agents}`,
      sequence: at + 1,
      payload: { status: `round ${Math.floor(at / agents)}` },
    }))
  const status = (state: AgentUiState) => new Set([...state.agents.values()].map((agent) => agent.status))
  const timed = (agents: number) => {
    const all = events(agents, 12)
    const began = performance.now()
    let state = emptyState()
    for (let at = 0; at < all.length; at += 500) state = reduce(state, all.slice(at, at + 500))
    expect(status(state)).toEqual(new Set(["round 11"]))
    expect(codes(state)).toEqual([])
    return (performance.now() - began) / all.length
  }
  test("[UI-ORDER-3] cost the same each, however many streams share the numbers", () => {
    timed(100)
    // A scan of the siblings for each missing number would make this a hundred times as much, and more.
    expect(timed(1500)).toBeLessThan(Math.max(timed(100), 0.005) * 30)
  })
  test("[UI-ORDER-9] come to the same when neighbours overtake each other", () => {
    const all = events(20, 10)
    const near = all.map((_, at) => all[at % 2 === 0 ? Math.min(at + 1, all.length - 1) : at - 1])
    const state = near.reduce((known, event) => reduce(known, [event]), emptyState())
    expect(status(state)).toEqual(new Set(["round 9"]))
    expect(state.waiting).toBe(0)
  })
})
