import { readFact } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { callState, inputLine, isOpened } from "../src/client/calls.ts"
import type { TurnView } from "../src/client/conversation.ts"
import { turnFoot } from "../src/client/foot.ts"
import { Ledger } from "../src/client/ledger.ts"
import { FakeHost } from "./fake-host.ts"
import { page } from "./open-page.ts"
import { answered, Story, text } from "./story.ts"

const begun = () => new Story().begin().submit("t1", "Go").start("t1").request("t1", "r1")
const waiting = () => begun().call("t1", "r1", "c1", "write", { path: "a" }).ask("t1", "c1")

function turnOf(story: Story, turn_id = "t1"): TurnView {
  const ledger = new Ledger()
  ledger.take(story.facts)
  expect(ledger.gap).toBeUndefined()
  const turn = ledger.conversation.turns.get(turn_id)
  if (turn === undefined) throw new Error(`no ${turn_id}`)
  return turn
}

it("the facts that these tests are told with are valid", () => {
  const story = waiting().settle("t1", "c1", answered("allow")).result("t1", "c1", "Done.")
  expect(story.facts.map((fact) => readFact(fact)).filter((read) => !read.ok)).toEqual([])
})

describe("calls", () => {
  const ids = { thread_id: "thr_1", turn_id: "t1", tool_call_id: "tcl_c1" }

  it("stand between the requests of a turn in the order of their facts", () => {
    const story = begun().call("t1", "r1", "c1", "read").call("t1", "r1", "c2", "read")
    story.result("t1", "c2", "two").result("t1", "c1", "one").request("t1", "r2").ask("t1", "c3")
    expect(turnOf(story).steps).toEqual([
      { kind: "request", id: "r1" },
      { kind: "call", id: "tcl_c1" },
      { kind: "call", id: "tcl_c2" },
      { kind: "request", id: "r2" },
      { kind: "action", id: "act_c3" },
    ])
  })

  it("tell what was given and what came back, and what is late changes nothing", () => {
    const story = begun().call("t1", "r1", "c1", "read", { path: "a" }).result("t1", "c1", "The text")
    story.add("tool.failed", ids, { category: "tool_error", message: "Late." })
    expect(turnOf(story).calls).toEqual([
      {
        tool_call_id: "tcl_c1",
        status: "done",
        tool: "read",
        cause: { request_id: "r1", call_id: "c1" },
        asked: false,
        input: { text: '{"path":"a"}', whole: true, bytes: 12 },
        output: { text: "The text", whole: true, bytes: 8 },
        seconds: 1.2,
      },
    ])
  })

  it("join the pieces of an input until the final one replaces them", () => {
    const story = begun()
    story.add("tool.started", ids, { tool: "read", owner: "builtin", effect: "none" })
    story.add("tool.args", ids, { final: false, chunk: '{"pa' })
    story.add("tool.args", ids, { final: false, chunk: 'th":' })
    expect(turnOf(story).calls[0]?.input).toEqual({ text: '{"path":', whole: false })
    const input_ref = { uri: "record:c1", kind: "record" } as const
    const preview = { text: '{"path":"a"}', whole: true }
    const at = story.facts.length
    story.add("tool.args", ids, {
      final: true,
      input_ref,
      preview,
      supersedes: { from: at - 1, to: at },
    })
    expect(turnOf(story).calls[0]?.input).toEqual(preview)
    const pruned = new Ledger()
    pruned.take(story.facts.filter(({ sequence }) => sequence < at - 1 || sequence > at))
    expect(pruned.gap).toBeUndefined()
    expect(pruned.conversation.turns.get("t1")?.calls[0]?.input).toEqual(preview)
  })

  it("keep the progress that was told last, piece by piece", () => {
    const story = begun().call("t1", "r1", "c1", "build")
    story.add("tool.progress", ids, { attempt: 1 })
    story.add("tool.progress", ids, { note: "Compiling", done: 1, total: 4 })
    story.add("tool.progress", ids, { done: 3, total: "unknown", output: { text: "ok", whole: false } })
    expect(turnOf(story).calls[0]).toMatchObject({
      progress: { note: "Compiling", done: 3, total: 4 },
      output: { text: "ok", whole: false },
    })
  })

  it.each([
    ["tool_error", "failed"],
    ["permission_denied", "failed"],
    ["interrupted", "cancelled"],
    ["outcome_unknown", "unknown"],
  ] as const)("that end with %s are shown as %s, with the message and what to do", (category, state) => {
    const story = begun().call("t1", "r1", "c1", "write")
    story.add("tool.failed", ids, { category, message: "It broke.", next: "Look." })
    const turn = turnOf(story)
    const [call] = turn.calls
    expect(call?.failure).toEqual({ category, message: "It broke.", next: "Look." })
    expect(call && callState(call, turn)).toBe(state)
  })

  it("wait for a person, for the host, not after the answer, and are unknown when the turn ended without them", () => {
    const stateNow = (story: Story, isStale = false) => {
      const turn = turnOf(story)
      const [call] = turn.calls
      return call && callState(call, turn, isStale)
    }
    expect(stateNow(begun().call("t1", "r1", "c1", "write"))).toBe("running")
    expect(stateNow(waiting())).toBe("needsYou")
    expect(stateNow(waiting(), true)).toBe("stale")
    const byHost = begun().call("t1", "r1", "c1", "write").ask("t1", "c1", { decided_by: "host" })
    expect(stateNow(byHost)).toBe("waiting")
    expect(stateNow(waiting().settle("t1", "c1", answered("allow")))).toBe("running")
    const cut = begun().call("t1", "r1", "c1", "write").fail("t1", "r1", [])
    expect(stateNow(cut)).toBe("unknown")
  })

  it("wait while a permission is asked for that no action stands for", () => {
    const story = begun().call("t1", "r1", "c1", "write")
    const digest = `sha256:${"0".repeat(64)}`
    const operation = { kind: "tool" as const, name: "write", digest, summary: { text: "", whole: true } }
    const request = { request_id: "req_1", evaluation_id: "evl_1", operation, waits_for: "policy" as const }
    story.add("permission.requested", ids, request)
    expect(turnOf(story).calls[0]?.asked).toBe(true)
    const resolved = { request_id: "req_1", outcome: "allowed", policy_version: "1" } as const
    story.add("permission.resolved", ids, { ...resolved, decider: { kind: "policy" } })
    expect(turnOf(story).calls[0]?.asked).toBe(false)
  })

  it("take the place of what the model proposed, by its name and by its name with a suffix", () => {
    const turn = turnOf(begun().call("t1", "r1", "c1", "read").call("t1", "r1", "c2.1", "read"))
    const opened = ["c1", "c2", "c", "c3", undefined].filter((id) => isOpened(turn, "r1", id))
    expect(opened).toEqual(["c1", "c2"])
    expect(isOpened(turn, "r2", "c1")).toBe(false)
  })

  it.each([
    ['{"path":"src/a.ts"}', "src/a.ts"],
    ['{"path":"a","lines":[1,2]}', "path: a, lines: [1,2]"],
    ['{"count":3}', "count: 3"],
    ["{}", ""],
    ['{"text":"one\\n  two"}', "one two"],
    ['{"pa', '{"pa'],
    ["[1, 2]", "[1, 2]"],
    [JSON.stringify({ text: "x".repeat(500) }), `${"x".repeat(240)}…`],
  ])("show the input %s in one line", (input, line) => {
    expect(inputLine(input)).toBe(line)
  })
})

describe("actions", () => {
  it("are open with what is asked and since when, and settled once", () => {
    const story = waiting()
    const [open] = turnOf(story).actions
    expect(open).toMatchObject({
      action_id: "act_c1",
      tool_call_id: "tcl_c1",
      request: { title: "Allow write?" },
    })
    expect(open).not.toHaveProperty("resolution")
    story.ask("t1", "c1", { title: "Allow write now?" })
    const [again, ...more] = turnOf(story).actions
    expect(more).toEqual([])
    expect(again).toMatchObject({ request: { title: "Allow write now?" }, required_at: open?.required_at })
    story.settle("t1", "c1", answered("deny")).settle("t1", "c1", answered("allow")).ask("t1", "c1")
    expect(turnOf(story).actions).toMatchObject([
      { request: { title: "Allow write now?" }, resolution: answered("deny") },
    ])
  })

  it("of no turn are kept with the session", async () => {
    const host = new FakeHost()
    const story = host.story("ses_1").begin()
    const asked = waiting().facts.find((fact) => fact.type === "action.required")
    if (asked?.type !== "action.required") throw new Error("none")
    story.add("action.required", { action_id: "act_s" }, asked.payload)
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ waiting: 1, turns: [], actions: [{ action_id: "act_s" }], tabs: [{ state: "needsYou" }] })
  })

  it("are what the turn does, whatever the run says, since the first was asked", () => {
    const story = waiting().call("t1", "r1", "c2", "send").ask("t1", "c2", { title: "Allow send?" })
    story.status("t1", "running", "Using tools", "read")
    const turn = turnOf(story)
    const since = turn.actions[0]?.required_at
    const asks = ["Allow write?", "Allow send?"]
    expect(turnFoot(turn)).toEqual({ kind: "live", state: "needsYou", stage: "working", asks, since })
    expect(turnFoot(turn, true)).toEqual({ kind: "live", state: "stale", stage: "working", asks })
    story.settle("t1", "c1", answered("allow")).settle("t1", "c2", answered("deny"))
    expect(turnFoot(turnOf(story))).toMatchObject({ state: "running", title: "Using tools" })
  })
})

/** A page on which a call of `ses_1` waits for an answer. */
async function asked(host = new FakeHost()) {
  const story = host.story("ses_1").begin().submit("t1", "Go").start("t1").request("t1", "r1")
  story.call("t1", "r1", "c1", "write", { path: "a" }).ask("t1", "c1")
  const at = page(host)
  at.do({ control: "open", session_id: "ses_1" })
  await at.sees({ connection: { state: "live" }, waiting: 1 })
  const sent = () => host.calls.filter(({ name }) => name === "respond_action")
  const answer = () => at.look().answers.get("act_c1")
  return { ...at, story, sent, answer }
}

describe("an answer", () => {
  const allow = { control: "respond", action_id: "act_c1", decision: "allow" } as const

  it("is sent as it was chosen, once, and settles nothing until the log says so", async () => {
    const at = await asked()
    at.host.hold = "respond_action"
    at.do({ ...allow, note: "Only this." })
    at.do({ ...allow, decision: "deny" })
    await at.until(() => expect(at.answer()).toEqual({ decision: "allow", state: "sending" }))
    at.host.release()
    await at.until(() => expect(at.answer()).toEqual({ decision: "allow", state: "sent" }))
    at.do(allow)
    const input = { session_id: "ses_1", action_id: "act_c1", decision: "allow", note: "Only this." }
    expect(at.sent().map((call) => call.input)).toEqual([input])
    expect(at.look()).toMatchObject({ waiting: 1, tabs: [{ state: "needsYou" }] })
    at.story.settle("t1", "c1", answered("allow"))
    at.host.flush()
    await at.sees({ waiting: 0, tabs: [{ state: "running" }] })
  })

  it("carries what was filled in", async () => {
    const at = await asked()
    at.do({ ...allow, payload: { place: "staging" } })
    await at.until(() => expect(at.answer()?.state).toBe("sent"))
    expect(at.sent()[0]?.input).toMatchObject({ payload: { place: "staging" } })
  })

  it.each([
    ["already_resolved", "It was answered before."],
    ["action_expired", "The time for an answer is over."],
    ["wrong_state", "This waits for the host, not for a person."],
  ])("that is refused with %s says so, and the action follows the facts", async (code, message) => {
    const at = await asked()
    at.host.refuse = { respond_action: { code, message } }
    at.do(allow)
    await at.until(() =>
      expect(at.answer()).toEqual({ decision: "allow", state: "refused", problem: { code, message } }),
    )
    expect(at.look().waiting).toBe(1)
    expect(at.look().problem).toBeUndefined()
    at.story.settle("t1", "c1", answered("deny"))
    at.host.flush()
    await at.sees({ waiting: 0, turns: [{ actions: [{ resolution: { decision: "deny" } }] }] })
    expect(at.answer()?.problem?.code).toBe(code)
  })

  it("that does not fit names the field, and can be given again under a new id", async () => {
    const at = await asked()
    const field = "input.payload.machines"
    at.host.refuse = { respond_action: { code: "invalid_input", message: "must be integer", field } }
    at.do(allow)
    await at.until(() => expect(at.answer()?.problem).toMatchObject({ field }))
    at.host.refuse = {}
    at.do(allow)
    await at.until(() => expect(at.answer()).toEqual({ decision: "allow", state: "sent" }))
    expect(new Set(at.sent().map(({ command_id }) => command_id)).size).toBe(2)
  })

  it("whose own answer got lost is sent again under the same id, another one is not", async () => {
    const at = await asked()
    at.host.loseAnswers = 1
    at.do(allow)
    await at.until(() => expect(at.answer()?.problem?.code).toBe("unreachable"))
    at.host.loseAnswers = 1
    at.do({ ...allow, decision: "deny" })
    await at.until(() => expect(at.answer()).toMatchObject({ decision: "deny", state: "refused" }))
    at.do(allow)
    await at.until(() => expect(at.answer()).toEqual({ decision: "allow", state: "sent" }))
    const ids = at.sent().map(({ command_id }) => command_id)
    expect(ids[2]).toBe(ids[0])
    expect(ids[1]).not.toBe(ids[0])
  })

  it("with a refused token is reported", async () => {
    const at = await asked()
    at.host.token = "other"
    at.do(allow)
    await at.until(() => expect(at.unauthorized()).toBe(1))
    expect(at.answer()).toEqual({ decision: "allow", state: "refused" })
  })
})

describe("an open action", () => {
  it("is last known while the host is away", async () => {
    const at = await asked()
    at.host.crash()
    await at.sees({ connection: { state: "lost" }, waiting: 1, tabs: [{ state: "stale" }] })
  })

  it("does not keep the turn from being stopped", async () => {
    const at = await asked()
    expect(at.look().active?.turn_id).toBe("t1")
    at.do({ control: "stop", turn_id: "t1" })
    await at.until(() => expect(at.host.calls.at(-1)).toMatchObject({ name: "interrupt_turn" }))
    const withdrawn = { reason: "cancelled", decision: "none", decider: { kind: "runtime" } } as const
    at.story.settle("t1", "c1", withdrawn)
    at.host.flush()
    await at.sees({ waiting: 0 })
  })

  /** Its turn is in another thread, which the newest window does not tell anything of. */
  function farBack(host: FakeHost, turns: number): Story {
    const story = host.story("ses_1").begin().submit("t1", "Go").start("t1").request("t1", "r1")
    story.call("t1", "r1", "c1", "write").ask("t1", "c1")
    for (let n = 0; n < turns; n++) {
      const [turn, request] = [`u${n}`, `s${n}`]
      story.submit(turn, `Ask ${n}`, "thr_2").start(turn, "thr_2").request(turn, request, "thr_2")
      story.complete(turn, request, [text("p", "Yes.")], "thr_2")
    }
    return story
  }

  it("that was asked before the window is read back to", async () => {
    const host = new FakeHost()
    farBack(host, 10)
    host.window = 12
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ connection: { state: "live" }, waiting: 1, outside: [] })
    expect(at.look().turns[0]).toMatchObject({ turn_id: "t1", actions: [{ action_id: "act_c1" }] })
    const reads = host.calls.filter(({ name }) => name === "get_thread_read")
    expect(reads.map(({ input }) => input)).toEqual([{ session_id: "ses_1", thread_id: "thr_1" }])
  })

  it("that is too far back is told by the read model, until it is read back to or settled", async () => {
    const host = new FakeHost()
    const story = farBack(host, 30)
    host.window = 6
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({
      connection: { state: "live" },
      waiting: 1,
      outside: [{ id: "act_c1", title: "Allow write?" }],
      tabs: [{ state: "needsYou" }],
      hasEarlier: true,
    })
    const two = page(host)
    two.do({ control: "open", session_id: "ses_1" })
    await two.sees({ connection: { state: "live" }, outside: [{ id: "act_c1" }] })
    two.do({ control: "earlier" })
    await two.sees({ waiting: 1, outside: [] })
    expect(two.look().turns[0]).toMatchObject({ turn_id: "t1", actions: [{ action_id: "act_c1" }] })
    story.settle("t1", "c1", answered("allow"))
    host.flush()
    await at.sees({ waiting: 0, outside: [] })
  })

  it("shows its turn though the window cuts it", async () => {
    const host = new FakeHost()
    const story = host.story("ses_1").begin().submit("t1", "Go").start("t1").request("t1", "r1")
    for (let n = 0; n < 60; n++) story.delta("t1", "r1", "p", `${n} `)
    story.call("t1", "r1", "c1", "write").ask("t1", "c1")
    host.window = 3
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ connection: { state: "live" }, hasEarlier: true, waiting: 1, outside: [] })
    expect(at.look().turns).toMatchObject([
      { turn_id: "t1", actions: [{ request: { title: "Allow write?" } }] },
    ])
    expect(at.look().turns[0]).not.toHaveProperty("text")
  })
})
