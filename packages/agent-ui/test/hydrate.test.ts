import { describe, expect, test } from "vitest"
import {
  type AgentUiState,
  activate,
  activationOf,
  addOlder,
  applyStep,
  confirmSent,
  createAgentUiStore,
  createHydrator,
  createRepairer,
  emptyState,
  type HydrationPage,
  reduce,
  showSent,
  showSteer,
  withdrawSent,
  withdrawSteer,
} from "../src/index.ts"
import { inputViews } from "../src/parts/index.ts"
import { plainState } from "../src/plain.ts"
import { after, codes, delta, final, given, partsOf, run, textsOf, tool } from "./given.ts"

const shot = (id: string, text: string, more: object = {}) => ({
  messageId: id,
  role: "assistant",
  parts: [{ partId: `${id}/0`, kind: "text", text, state: "final" }],
  ...more,
})
const snapshot = (messages: object[], more: object = {}) => ({
  type: "messages.snapshot",
  sessionId: "s1",
  payload: { messages, ...more },
})
const idsOf = (state: AgentUiState, session = "s1") => [...(state.sessions.get(session)?.messageIds ?? [])]
const frame = (sequence: number, ...events: object[]) => ({ stream: "s1", sequence, events })

const pages: HydrationPage[] = [
  { events: [{ type: "session.updated", payload: { title: "Old work" } }] },
  { events: [snapshot([shot("m1", "one"), shot("m2", "two")])], earlier: "before-m1" },
  {
    events: [
      run("status", {}, { phase: "waiting" }),
      { type: "action.required", actionId: "x1" },
      { type: "task.changed", taskId: "k1", payload: { status: "running" } },
    ],
  },
  {
    events: [
      { type: "artifact.created", artifactId: "f1" },
      { type: "evidence.changed", evidenceId: "e1" },
    ],
    position: { stream: "s1", sequence: 50 },
    cursor: "50",
  },
]
const visit = { sessionId: "s1", activation: 1 }
const opened = () => activate(emptyState(), "s1")
const through = (last: number, state = opened()) =>
  pages
    .slice(0, last)
    .reduce((at, page, index) => applyStep(at, visit, (index + 1) as 1 | 2 | 3 | 4, page), state)
const atOnce = (publish: () => void) => {
  publish()
  return () => {}
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

describe("hydration", () => {
  test("[UI-HYD-2] each step is visible before the next", () => {
    const seen = [0, 1, 2, 3, 4].map((step) => {
      const state = through(step)
      return [
        state.sessions.get("s1")?.title,
        state.messages.size,
        state.runs.size,
        state.actions.size,
        state.tasks.size,
        state.artifacts.size,
        state.sessions.get("s1")?.hydrating,
      ]
    })
    expect(seen).toEqual([
      [undefined, 0, 0, 0, 0, 0, true],
      ["Old work", 0, 0, 0, 0, 0, true],
      ["Old work", 2, 0, 0, 0, 0, true],
      ["Old work", 2, 1, 1, 1, 0, true],
      ["Old work", 2, 1, 1, 1, 1, false],
    ])
  })
  test("[UI-HYD-2] a step before its turn changes nothing", () => {
    const state = through(1)
    expect(applyStep(state, visit, 3, pages[2] ?? { events: [] })).toBe(state)
  })
  test("[UI-HYD-4] a result for a session that was left changes nothing", () => {
    const state = activate(through(1), "s2")
    expect(applyStep(state, visit, 2, pages[1] ?? { events: [] })).toBe(state)
  })
  test("[UI-HYD-4] a result for a superseded request changes nothing", () => {
    const state = activate(activate(through(1), "s2"), "s1")
    expect(applyStep(state, visit, 2, pages[1] ?? { events: [] })).toBe(state)
    const now = activationOf(state)
    expect(now && applyStep(state, now, 2, pages[1] ?? { events: [] }).messages.size).toBe(2)
  })
  test("[UI-HYD-4] the hydrator ends the requests of a session that is left", async () => {
    const store = createAgentUiStore()
    const waiting: { session: string; signal: AbortSignal; give: (page: HydrationPage) => void }[] = []
    const hydrator = createHydrator(store, {
      step: (session, _, signal) => new Promise((give) => waiting.push({ session, signal, give })),
    })
    void hydrator.open("s1")
    void hydrator.open("s2")
    const [first] = waiting
    expect(first?.signal.aborted).toBe(true)
    const before = store.getSnapshot()
    first?.give({ events: [{ type: "session.updated", sessionId: "s2", payload: { title: "wrong" } }] })
    await settle()
    expect(store.getSnapshot()).toBe(before)
  })
  const live = [
    frame(50, delta("x", { messageId: "m2" })),
    frame(51, delta("new", { messageId: "m3" })),
    frame(52, delta("er", { messageId: "m3" })),
  ]
  test.each([0, 1, 2, 3, 4])(
    "[UI-HYD-5] live frames after step %i are neither lost nor applied twice",
    (step) => {
      let state = reduce(through(step), live)
      for (const [at, page] of pages.entries())
        if (at >= step) state = applyStep(state, visit, (at + 1) as 1 | 2 | 3 | 4, page)
      state = reduce(state, live)
      expect(idsOf(state)).toEqual(["m1", "m2", "m3"])
      expect([textsOf(state, "m2"), textsOf(state, "m3")]).toEqual([["two"], ["newer"]])
      expect(state.streams.get("s1")).toMatchObject({ applied: 52, waiting: 0 })
    },
  )
  test("[UI-CORE-7] old sessions open from a part and fill in later, without being opened again", async () => {
    const store = createAgentUiStore()
    const older = { events: [snapshot([shot("m-1", "oldest"), shot("m0", "old")], { purpose: "window" })] }
    const hydrator = createHydrator(store, {
      step: async (_, step) => pages[step - 1] ?? { events: [] },
    })
    await hydrator.open("s1")
    const before = store.getSnapshot()
    expect(before.sessions.get("s1")).toMatchObject({ hydrated: 4, hydrating: false, earlier: "before-m1" })
    const now = activationOf(before)
    store.update((state) => (now ? applyStep(state, now, 5, older) : state))
    expect(idsOf(store.getSnapshot())).toEqual(["m-1", "m0", "m1", "m2"])
    expect(store.getSnapshot().messages.get("m1")).toBe(before.messages.get("m1"))
    expect(store.getSnapshot().sessions.get("s1")).not.toHaveProperty("earlier")
  })
  test.each([
    [
      "a child session",
      { type: "session.opened", sessionId: "s9", parentSessionId: "s1" },
      { type: "text.delta", sessionId: "s9", messageId: "c1", payload: { delta: "hi" } },
      "sessions",
      "s9",
    ],
    [
      "a remote task",
      { type: "task.changed", taskId: "k9", payload: { remoteTaskId: "rt" } },
      { type: "task.changed", taskId: "k9", payload: { remoteStatus: "working" } },
      "tasks",
      "k9",
    ],
    ["a long run", run("status", {}, { phase: "acting" }), run("started", { title: "Long" }), "runs", "r1"],
  ] as const)("[UI-CORE-7] %s fills in in place", (_, part, rest, table, id) => {
    const before = given(part)
    const state = after(before, rest)
    expect(state[table].size).toBe(before[table].size)
    expect(state[table].get(id)?.opened).toBe(before[table].get(id)?.opened)
  })
  test("a step that fails leaves what is there, marked stale, and says why", async () => {
    const store = createAgentUiStore()
    const hydrator = createHydrator(store, {
      step: async (_, step) => {
        if (step === 3) throw new Error("offline")
        return pages[step - 1] ?? { events: [] }
      },
    })
    await hydrator.open("s1")
    expect(store.getSnapshot().sessions.get("s1")).toMatchObject({
      hydrated: 2,
      hydrating: false,
      stale: true,
    })
    expect(codes(store.getSnapshot())).toEqual(["hydration_failed"])
  })
})

describe("windows and repair", () => {
  test("[UI-EVT-28] a snapshot sets its window and leaves the messages outside in place", () => {
    const state = given(delta("late", { messageId: "m9" }))
    const next = after(
      state,
      snapshot([shot("m1", "one"), shot("m2", "two")], { from: 1, to: 9, purpose: "window" }),
    )
    expect(idsOf(next)).toEqual(["m1", "m2", "m9"])
    expect(next.messages.get("m9")).toBe(state.messages.get("m9"))
    expect(next.sessions.get("s1")?.window).toEqual({ from: 1, to: 9, count: 2 })
  })
  test.each([
    ["before the shared ones", ["a", "b", "m1"], ["a", "b", "m1", "m2"]],
    ["between", ["m1", "a", "m2"], ["m1", "a", "m2"]],
    ["after", ["m2", "a"], ["m1", "m2", "a"]],
    ["around", ["a", "m1", "b", "m2", "c"], ["a", "m1", "b", "m2", "c"]],
    ["none", ["m1", "m2"], ["m1", "m2"]],
  ])("[UI-EVT-28] new messages stand %s", (_, window, expected) => {
    const state = given(delta("1"), delta("2", { messageId: "m2" }))
    expect(idsOf(after(state, snapshot(window.map((id) => shot(id, id)))))).toEqual(expected)
  })
  test("[UI-REPAIR-1] a streaming message keeps its identity, and no answer is shown twice", () => {
    const state = given(delta("Hel"))
    const next = after(state, snapshot([shot("m1", "Hello")], { purpose: "repair" }))
    expect(next.messages.get("m1")?.opened).toBe(state.messages.get("m1")?.opened)
    expect(partsOf(next)).toMatchObject([{ partId: "m1/0", state: "final", marker: "corrected" }])
    expect(textsOf(after(next, final("Hello")))).toEqual(["Hello"])
    expect(idsOf(next)).toEqual(["m1"])
  })
  test("[UI-REPAIR-1] one that still streams in the snapshot streams on", () => {
    const open = {
      messageId: "m1",
      role: "assistant",
      parts: [{ partId: "m1/0", kind: "text", text: "Hello", state: "streaming" }],
    }
    const next = after(given(delta("Hel")), snapshot([open], { purpose: "repair" }), delta(" world"))
    expect(textsOf(next)).toEqual(["Hello world"])
  })
  test("[UI-REPAIR-2] a snapshot older than what was applied does not undo it", () => {
    const state = given(frame(1, delta("Hel")), frame(2, delta("lo")), frame(3, final("Hello")))
    for (const old of [
      snapshot([shot("m1", "He", { sequence: 1 })]),
      snapshot([shot("m1", "He")], { to: 2 }),
    ]) {
      expect(textsOf(after(state, old))).toEqual(["Hello"])
    }
  })
  test("[UI-REPAIR-2] nor does a page of hydration that was read before", () => {
    const frames = [
      frame(1, run("started", {}, { phase: "accepted" })),
      frame(2, tool("started")),
      frame(3, tool("result")),
      frame(4, run("finished", {}, { phase: "completed" })),
    ]
    const ahead = reduce(opened(), frames)
    const old: HydrationPage = {
      events: [
        run("status", {}, { phase: "acting" }),
        tool("progress", { note: "old" }),
        { type: "task.changed", taskId: "k1" },
      ],
      position: { stream: "s1", sequence: 2 },
    }
    const state = applyStep(ahead, visit, 1, old)
    expect(state.runs.get("r1")).toEqual(ahead.runs.get("r1"))
    expect(state.tools.get("t1")).toEqual(ahead.tools.get("t1"))
    expect(state.tasks.size).toBe(1)
  })
  test("[UI-REPAIR-3] a snapshot corrects text, and erases no failed tool, process ref or lineage", () => {
    const state = given(
      { type: "session.opened", sessionId: "s1", parentSessionId: "s0" },
      run("started"),
      delta("Hel"),
      tool("failed", { message: "no" }, { messageId: "m1" }),
      { type: "agent.spawned", sessionId: "s1", agentId: "a1", parentSessionId: "s0" },
    )
    const next = after(state, snapshot([shot("m1", "Hello")], { purpose: "repair" }))
    expect(textsOf(next)).toEqual(["Hello"])
    expect(partsOf(next).map(({ kind }) => kind)).toEqual(["text", "tool"])
    expect([next.tools, next.runs, next.agents]).toEqual([state.tools, state.runs, state.agents])
    expect(next.sessions.get("s1")?.parentSessionId).toBe("s0")
  })
  test("[UI-ORDER-4] the repairer asks once for a gap, and what comes fills it", async () => {
    const store = createAgentUiStore({ schedule: atOnce })
    const asked: object[] = []
    const repairer = createRepairer(store, {
      fetch: async (request) => {
        asked.push(request)
        return [frame(2, delta("b"))]
      },
    })
    store.dispatch([frame(1, delta("a")), frame(3, delta("c"))])
    store.dispatch([frame(4, delta("d"))])
    await settle()
    expect(asked).toEqual([{ stream: "s1", from: 2, to: 2 }])
    expect(textsOf(store.getSnapshot())).toEqual(["abcd"])
    repairer.close()
  })
  test("[UI-ORDER-4] a failed repair leaves the mark, and is made again when asked", async () => {
    const store = createAgentUiStore({ schedule: atOnce })
    let tries = 0
    const repairer = createRepairer(store, {
      fetch: async () => {
        if (++tries === 1) throw new Error("offline")
        return []
      },
    })
    store.dispatch([frame(1, delta("a")), frame(3, delta("c"))])
    await settle()
    expect(store.getSnapshot().streams.get("s1")?.gap).toEqual({ from: 2, to: 2 })
    repairer.retry()
    await settle()
    expect(tries).toBe(2)
    expect(textsOf(store.getSnapshot())).toEqual(["ac"])
    repairer.close()
  })
  test("[UI-ORDER-4] a failed repair is made again by itself", async () => {
    const store = createAgentUiStore({ schedule: atOnce })
    let tries = 0
    const repairer = createRepairer(store, {
      fetch: async () => {
        if (++tries === 1) throw new Error("offline")
        return [frame(2, delta("b"))]
      },
    })
    store.dispatch([frame(1, delta("a")), frame(3, delta("c"))])
    await expect.poll(() => textsOf(store.getSnapshot()), { timeout: 20_000 }).toEqual(["abc"])
    repairer.close()
  })
})

describe("what this client has just sent", () => {
  const sent = { clientId: "c1", sessionId: "s1", text: "hello" }
  const echo = {
    type: "text.final",
    sessionId: "s1",
    runId: "r1",
    messageId: "m1",
    owner: "runtime",
    payload: { clientId: "c1", role: "user", text: "hello" },
  }
  test("[UI-PART-1] user_text shows right after submit, and takes the runtime's ids without a second bubble", () => {
    const shown = showSent(given(delta("earlier", { messageId: "m0" })), sent)
    expect(idsOf(shown)).toEqual(["m0", "client:c1"])
    expect(shown.messages.get("client:c1")).toMatchObject({
      role: "user",
      optimistic: true,
      origin: { owner: "session" },
    })
    const state = after(shown, delta("answer", { messageId: "m2" }), echo)
    expect(idsOf(state)).toEqual(["m0", "m1", "m2"])
    expect(state.messages.get("m1")).toMatchObject({ optimistic: false, origin: { owner: "runtime" } })
    expect(textsOf(state)).toEqual(["hello"])
    expect(state.messages.has("client:c1")).toBe(false)
  })
  test("[UI-PART-1] also by the answer to the submission, and then by the event", () => {
    const confirmed = confirmSent(showSent(emptyState(), sent), "c1", { messageId: "m1", runId: "r1" })
    expect(textsOf(confirmed)).toEqual(["hello"])
    const state = after(confirmed, echo, echo)
    expect(idsOf(state)).toEqual(["m1"])
    expect(partsOf(state)).toHaveLength(1)
  })
  test("[UI-PART-1] never by equal text", () => {
    const state = after(showSent(emptyState(), sent), { ...echo, payload: { role: "user", text: "hello" } })
    expect(idsOf(state)).toHaveLength(2)
  })
  test("[UI-PART-1] a refused submission is taken back", () => {
    expect(idsOf(withdrawSent(showSent(emptyState(), sent), "c1"))).toEqual([])
  })
  describe("into a run that is under way", () => {
    const steer = {
      clientId: "c1",
      sessionId: "s1",
      runId: "r1",
      inputs: [{ kind: "text", text: "shorter" }],
    } as const
    const begun = given(
      { type: "run.started", sessionId: "s1", runId: "r1", owner: "runtime" },
      { type: "tool.started", sessionId: "s1", runId: "r1", toolCallId: "k1", payload: { toolName: "read" } },
    )
    const steered = (state: AgentUiState) => state.runs.get("r1")?.steered
    const kinds = (state: AgentUiState) => [...(state.runs.get("r1")?.process ?? [])].map(({ kind }) => kind)
    const told = {
      type: "queue.changed",
      sessionId: "s1",
      runId: "r1",
      owner: "runtime",
      payload: { steer: { state: "steered", runId: "r1", text: "shorter", clientId: "c1" } },
    }
    test("[UI-QUEUE-3] it stands in the run once, on its way until its fact, and is no message of its own", () => {
      const shown = showSteer(begun, steer)
      expect(steered(shown)).toEqual([{ state: "sending", clientId: "c1", text: "shorter" }])
      expect(idsOf(shown)).toEqual(idsOf(begun))
      expect(showSteer(shown, steer)).toBe(shown)
      const later = after(shown, { ...told, type: "run.status", payload: {} }, told)
      expect(steered(later)).toMatchObject([{ state: "steered", clientId: "c1", text: "shorter" }])
      expect(kinds(later).filter((kind) => kind === "steer")).toHaveLength(1)
      expect(kinds(later).indexOf("steer")).toBe(kinds(shown).indexOf("steer"))
    })
    test("[UI-QUEUE-3] a refused one is taken back; one that is told of is not", () => {
      const shown = showSteer(begun, steer)
      expect(steered(withdrawSteer(shown, "c1"))).toEqual([])
      expect(kinds(withdrawSteer(shown, "c1"))).toEqual(kinds(begun))
      const later = after(shown, told)
      expect(withdrawSteer(later, "c1")).toBe(later)
    })
    test("[UI-QUEUE-3] a window of older facts brings it back after a reload", () => {
      const older = after(begun, told)
      const known = given({ type: "run.status", sessionId: "s1", runId: "r1", owner: "runtime", payload: {} })
      const joined = addOlder(known, "s1", older)
      expect(steered(joined)).toMatchObject([{ text: "shorter", clientId: "c1" }])
      expect(steered(addOlder(joined, "s1", older))).toHaveLength(1)
    })
  })
  test("[UI-MULTI-5] mixed inputs keep the person's order through submit and hydration", () => {
    const inputs = [
      { kind: "text", text: "see" },
      { kind: "image", ref: "up:1" },
      { kind: "text", text: "and" },
      { kind: "document", ref: "up:2" },
    ] as const
    const shown = showSent(emptyState(), { clientId: "c1", sessionId: "s1", inputs })
    expect(inputViews(shown, "client:c1")).toMatchObject(inputs)
    const state = given(snapshot([shot("m1", "see", { role: "user", inputs })]))
    expect(inputViews(state, "m1")).toMatchObject(inputs)
  })
  test("[UI-MULTI-4] what the person sends passes the same gate", () => {
    const state = showSent(emptyState(), {
      clientId: "c1",
      sessionId: "s1",
      inputs: [{ kind: "file", ref: "/etc/passwd" }],
    })
    expect(state.messages.get("client:c1")?.inputs).toEqual([])
    expect(codes(state)).toEqual(["leak_risk"])
    expect(JSON.stringify(plainState(state))).not.toContain("/etc")
  })
})

test("[UI-HYD-5] a request that the read model and the window both name is one line of its process", () => {
  const run = { sessionId: "s", runId: "r", turnId: "r" }
  const required = {
    type: "action.required",
    ...run,
    actionId: "a",
    payload: { actionType: "tool_approval" },
  }
  const started = { type: "tool.started", ...run, toolCallId: "t", payload: { toolName: "write" } }
  const asked = { stream: "s", sequence: 2, events: [required] }
  const older = reduce(emptyState(), [{ stream: "s", sequence: 1, events: [started] }, asked])
  const known = reduce(emptyState(), [required])
  const joined = addOlder(known, "s", older)
  const lines = [...(joined.runs.get("r")?.process ?? [])].map(({ kind, id }) => `${kind} ${id}`)
  expect(lines).toEqual(["tool t", "action a"])
})
