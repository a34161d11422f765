import { describe, expect, it, onTestFinished, vi } from "vitest"
import { FakeHost } from "./fake-host.ts"
import { page, running, streaming } from "./open-page.ts"
import { text } from "./story.ts"

describe("the first message", () => {
  it("creates a session, which the page then opens", async () => {
    const at = page()
    at.host.hold = "submit_turn"
    at.do({ control: "send", text: "Hello" })
    await at.sees({ creating: true, turns: [{ text: "Hello", status: "sending" }] })
    at.host.release()
    await at.sees({ session_id: "ses_1", creating: false, turns: [{ text: "Hello", status: "accepted" }] })
    expect(at.created).toEqual(["ses_1"])
    expect(at.host.calls[0]).toMatchObject({ name: "submit_turn", input: { create: "session" } })
    expect(at.shelf.kept.size).toBe(0)
  })

  it("does not take the page away from a session that was opened meanwhile", async () => {
    const at = page()
    at.host.story("ses_old").begin()
    at.host.hold = "submit_turn"
    at.do({ control: "send", text: "Hello" })
    await at.sees({ creating: true })
    at.do({ control: "open", session_id: "ses_old" })
    at.host.release()
    await at.until(() => expect(at.look().tabs.map((tab) => tab.session_id)).toEqual(["ses_old", "ses_2"]))
    expect(at.created).toEqual([])
    expect(at.look()).toMatchObject({ session_id: "ses_old", turns: [] })
  })
})

describe("sending", () => {
  it("repeats a command whose answer was lost under the same ids, and it is done once", async () => {
    const at = await streaming()
    at.host.loseAnswers = 2
    at.do({ control: "send", text: "Again" })
    await at.until(() => expect(at.host.calls.filter((call) => call.name === "submit_turn")).toHaveLength(3))
    await at.until(() => expect(at.shelf.kept.size).toBe(0))
    const sent = at.host.calls.filter((call) => call.name === "submit_turn")
    expect(new Set(sent.map((call) => JSON.stringify(call))).size).toBe(1)
    at.host.flush()
    await at.until(() => expect(at.look().turns.filter((turn) => turn.text === "Again")).toHaveLength(1))
  })

  it("keeps a message through a reload and sends it under the ids it had", async () => {
    const at = await streaming()
    at.host.crash()
    at.do({ control: "send", text: "Kept" })
    await at.sees({ queue: [{ text: "Kept", first: false }] })
    const [kept] = [...at.shelf.kept.values()]
    const again = page(new FakeHost(), at.shelf)
    running(again.host.story("ses_1"))
    await again.until(() => expect(again.shelf.kept.size).toBe(0))
    expect(again.host.calls).toMatchObject([
      { command_id: kept?.command_id, input: { turn_id: kept?.turn_id, session_id: "ses_1" } },
    ])
  })

  it("keeps the order of messages, also when the first one has to be sent again", async () => {
    const at = await streaming()
    at.host.loseCommands = 2
    for (const text of ["one", "two", "three"]) at.do({ control: "send", text })
    const sent = () => at.host.story("ses_1").facts.filter((fact) => fact.type === "turn.submitted")
    await at.until(() => expect(sent()).toHaveLength(4))
    expect(sent().map((fact) => fact.payload)).toMatchObject(
      ["Hi", "one", "two", "three"].map((text) => ({ input: [{ text }] })),
    )
  })

  it("a refused message stays, says why, and can be sent again under the same ids", async () => {
    const at = await streaming()
    at.host.refuse = { submit_turn: { code: "write_failed", message: "Disk full.", fix: "Free space." } }
    at.do({ control: "send", text: "Big" })
    await at.until(() => expect(at.look().turns.at(-1)?.status).toBe("unsent"))
    expect(at.look().turns.at(-1)?.outcome?.reason).toBe("Disk full. Free space.")
    at.host.refuse = {}
    at.do({ control: "retry", turn_id: at.look().turns.at(-1)?.turn_id ?? "" })
    await at.until(() => expect(at.shelf.kept.size).toBe(0))
    const [refused, accepted] = at.host.calls.filter((call) => call.name === "submit_turn")
    expect(accepted).toEqual(refused)
  })

  it("a refused message stays where it was sent, and later ones come after it", async () => {
    const sentAt = (sequence: number) => 1_700_000_000_000 + sequence * 500
    const at = await streaming()
    const clock = vi.spyOn(Date, "now").mockReturnValue(sentAt(at.story.facts.length))
    onTestFinished(() => clock.mockRestore())
    at.host.refuse = { submit_turn: { code: "too_large", message: "Too large.", fix: "POST it." } }
    at.do({ control: "send", text: "Big" })
    await at.until(() => expect(at.look().turns.at(-1)?.status).toBe("unsent"))
    expect(at.look().turns.at(-1)?.outcome).toEqual({ category: "too_large", reason: "Too large. POST it." })
    at.story
      .submit("t2", "Later")
      .complete("t1", "r1", [text("p", "Hello")])
      .start("t2")
    at.host.flush()
    const shown = ["Hi", "Big", "Later"].map((text) => ({ text }))
    await at.sees({ turns: shown, active: { text: "Later" } })
    at.host.refuse = {}
    at.host.hold = "submit_turn"
    at.do({ control: "retry", turn_id: at.look().turns[1]?.turn_id ?? "" })
    await at.sees({ turns: [{ text: "Hi" }, { text: "Later" }, { text: "Big", status: "sending" }] })
  })

  it("a refused message survives a reload and can be discarded", async () => {
    const at = await streaming()
    at.host.refuse = { submit_turn: { code: "too_large", message: "Too large." } }
    at.do({ control: "send", text: "Big" })
    await at.until(() => expect(at.look().turns.at(-1)?.status).toBe("unsent"))
    const again = page(at.host, at.shelf)
    again.do({ control: "open", session_id: "ses_1" })
    await again.until(() =>
      expect(again.look().turns.at(-1)).toMatchObject({ text: "Big", status: "unsent" }),
    )
    again.do({ control: "discard", turn_id: again.look().turns.at(-1)?.turn_id ?? "" })
    await again.until(() => expect(again.look().turns).toHaveLength(1))
    expect(at.shelf.kept.size).toBe(0)
  })

  it("works while the session is still being read", async () => {
    const host = new FakeHost()
    running(host.story("ses_1"))
    const at = page(host)
    host.hold = "get_session"
    at.do({ control: "open", session_id: "ses_1" })
    at.do({ control: "send", text: "Early" })
    await at.until(() => expect(host.story("ses_1").facts.at(-1)?.type).toBe("turn.submitted"))
    await at.sees({ loading: true, turns: [{ text: "Early", status: "sending" }] })
    host.release()
    await at.sees({ loading: false, turns: [{ text: "Hi" }, { text: "Early", status: "accepted" }] })
    expect(host.calls.map((call) => call.name).sort()).toEqual(["get_session", "submit_turn"])
  })

  it("a message sent while a turn runs is shown in the queue, not in the conversation", async () => {
    const at = await streaming()
    at.host.hold = "submit_turn"
    at.do({ control: "send", text: "Next" })
    await at.sees({ queue: [{ text: "Next", first: false }] })
    expect(at.look().queue[0]?.place).toBeUndefined()
    expect(at.look().turns).toHaveLength(1)
  })
})

describe("a host that goes away", () => {
  it("leaves what was read, says since when, and goes on without a character lost or repeated", async () => {
    const at = await streaming()
    at.host.crash()
    await at.until(() => expect(at.look().connection.state).toBe("lost"))
    const lost = at.look().connection
    expect(at.answer()).toBe("Hel")
    at.story.delta("t1", "r1", "p", "lo")
    await at.sees({ connection: lost })
    at.host.isUp = true
    await at.until(() => expect(at.answer()).toBe("Hello"))
    expect(at.look().connection).toEqual({ state: "live" })
    at.story.complete("t1", "r1", [text("p", "Hello")])
    at.host.flush()
    await at.until(() => expect(at.look().turns[0]?.status).toBe("completed"))
    expect(at.answer()).toBe("Hello")
  })

  it("is waited for when the page is opened before it", async () => {
    const host = new FakeHost()
    running(host.story("ses_1"))
    host.isUp = false
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.until(() => expect(at.look()).toMatchObject({ loading: true, connection: { state: "lost" } }))
    host.isUp = true
    await at.sees({ loading: false, connection: { state: "live" } })
    expect(at.answer()).toBe("Hel")
  })

  it("is tried at once on demand, which does not hide since when it is away", async () => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(1_000)
    onTestFinished(() => clock.mockRestore())
    const at = await streaming()
    at.host.crash()
    await at.sees({ connection: { state: "lost", since: 1_000 } })
    clock.mockReturnValue(60_000)
    at.do({ control: "reconnect" })
    await at.store.refresh()
    await at.sees({ connection: { state: "lost", since: 1_000 } })
    at.host.isUp = true
    at.do({ control: "reconnect" })
    await at.sees({ connection: { state: "live" } })
  })

  it("leaves what ran as last known", async () => {
    const at = await streaming()
    at.host.crash()
    await at.sees({ connection: { state: "lost" }, tabs: [{ session_id: "ses_1", state: "stale" }] })
  })

  it("is told without an open session too", async () => {
    const at = page()
    at.host.isUp = false
    await at.store.refresh()
    await at.until(() => expect(at.look().connection.state).toBe("lost"))
    at.host.isUp = true
    at.do({ control: "reconnect" })
    await at.sees({ connection: { state: "live" } })
  })
})

describe("a host that is closing", () => {
  it("is waited for with what was read, like one that is away", async () => {
    const at = await streaming()
    at.host.close()
    await at.sees({ connection: { state: "lost" }, tabs: [{ state: "stale" }] })
    expect(at.answer()).toBe("Hel")
    at.story.delta("t1", "r1", "p", "lo")
    at.host.isClosing = false
    await at.until(() => expect(at.answer()).toBe("Hello"))
  })

  it("is waited for when a session is opened", async () => {
    const host = new FakeHost()
    running(host.story("ses_1"))
    host.isClosing = true
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ loading: true, connection: { state: "lost" } })
    expect(at.look().unreadable).toBeUndefined()
    host.isClosing = false
    await at.sees({ loading: false, connection: { state: "live" } })
    expect(at.answer()).toBe("Hel")
  })

  it("is sent a message again until it is back, under the same ids", async () => {
    const at = await streaming()
    at.host.close()
    at.do({ control: "send", text: "Kept" })
    await at.sees({ connection: { state: "lost" }, queue: [{ text: "Kept" }] })
    expect(at.look().turns.map((turn) => turn.status)).toEqual(["running"])
    const [kept] = [...at.shelf.kept.values()]
    at.host.isClosing = false
    await at.until(() => expect(at.shelf.kept.size).toBe(0))
    const sent = at.host.calls.filter((call) => call.name === "submit_turn")
    expect(sent).toMatchObject([{ command_id: kept?.command_id, input: { turn_id: kept?.turn_id } }])
  })

  it("is no problem of the list", async () => {
    const at = page()
    at.host.isClosing = true
    await at.store.refresh()
    await at.sees({ connection: { state: "lost" } })
    expect(at.look().problem).toBeUndefined()
    at.host.isClosing = false
    await at.store.refresh()
    await at.sees({ connection: { state: "live" } })
  })

  it("refuses a stop, and this is said until the list is read again", async () => {
    const at = await streaming()
    at.host.isClosing = true
    at.do({ control: "stop", turn_id: "t1" })
    await at.sees({ problem: { code: "unavailable", message: "The host is closing." } })
    at.host.isClosing = false
    await at.store.refresh()
    await at.until(() => expect(at.look().problem).toBeUndefined())
  })
})

describe("a hole in the stream", () => {
  it("is asked for again and filled", async () => {
    const at = await streaming()
    at.story.delta("t1", "r1", "p", "lo ").delta("t1", "r1", "p", "world")
    at.host.flush((fact) => fact.sequence === 8)
    await at.until(() => expect(at.answer()).toBe("Hello world"))
    expect(at.look().incomplete).toBe(false)
  })

  it("that the host cannot fill is given up and said", async () => {
    const at = await streaming()
    at.story.delta("t1", "r1", "p", "lo ").delta("t1", "r1", "p", "world")
    const flush = at.host.flush.bind(at.host)
    at.host.flush = () => flush((fact) => fact.sequence === 8)
    at.host.flush()
    await at.sees({ incomplete: true })
    expect(at.answer()).toBe("Helworld")
  })

  it("in a pruned range is none", async () => {
    const at = await streaming()
    at.story.delta("t1", "r1", "p", "lo").complete("t1", "r1", [text("p", "Hello")])
    at.host.flush((fact) => fact.type === "model.delta")
    await at.until(() => expect(at.look().turns[0]?.status).toBe("completed"))
    expect(at.answer()).toBe("Hello")
    expect(at.host.streaming).toEqual(["ses_1"])
  })
})

describe("switching sessions", () => {
  it("an answer that comes late does not touch the session that is open now", async () => {
    const at = await streaming()
    at.host.story("ses_2").begin("Second").submit("u1", "Other")
    at.host.hold = '"session_id":"ses_1"'
    at.do({ control: "open" })
    at.do({ control: "open", session_id: "ses_1" })
    at.do({ control: "open", session_id: "ses_2" })
    await at.sees({ session_id: "ses_2", turns: [{ text: "Other" }] })
    at.host.release()
    await at.until(() => expect(at.host.streaming).toEqual(["ses_2"]))
    expect(at.look()).toMatchObject({ session_id: "ses_2", turns: [{ text: "Other" }] })
  })

  it("a refusal of a command to the session before is not shown", async () => {
    const at = await streaming()
    at.host.story("ses_2").begin("Second")
    at.host.refuse = { interrupt_turn: { code: "wrong_state", message: "Too late." } }
    at.host.hold = "interrupt_turn"
    at.do({ control: "stop", turn_id: "t1" })
    at.do({ control: "open", session_id: "ses_2" })
    at.host.release()
    await at.sees({ session_id: "ses_2", loading: false, connection: { state: "live" } })
    await at.until(() => expect(at.host.calls.map((call) => call.name)).toContain("interrupt_turn"))
    expect(at.look().problem).toBeUndefined()
  })

  it("each session keeps its own messages on their way", async () => {
    const at = await streaming()
    at.host.story("ses_2").begin("Second")
    at.host.hold = "submit_turn"
    at.do({ control: "send", text: "For one" })
    at.do({ control: "open", session_id: "ses_2" })
    await at.sees({ session_id: "ses_2", loading: false, turns: [], queue: [] })
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ session_id: "ses_1", queue: [{ text: "For one" }] })
  })
})

describe("commands and their refusals", () => {
  it("stop, remove and promote name what they are about", async () => {
    const at = await streaming()
    const place = { queued_turn_id: "q_t2", thread_id: "thr_1" }
    at.do({ control: "stop", turn_id: "t1" })
    at.do({ control: "remove", place })
    at.do({ control: "promote", place })
    await at.until(() => expect(at.host.calls).toHaveLength(4))
    expect(at.host.calls.slice(1).map(({ name, input }) => [name, input])).toEqual([
      ["interrupt_turn", { session_id: "ses_1", turn_id: "t1", reason: "Stopped by the user." }],
      ["remove_queued_turn", { session_id: "ses_1", ...place }],
      ["promote_queued_turn", { session_id: "ses_1", ...place }],
    ])
  })

  it("a refusal is shown with what to do, until the next command", async () => {
    const at = await streaming()
    at.host.refuse = {
      interrupt_turn: { code: "wrong_state", message: "It has ended.", fix: "Nothing to do." },
    }
    at.do({ control: "stop", turn_id: "t1" })
    await at.sees({ problem: { code: "wrong_state", message: "It has ended. Nothing to do." } })
    at.host.refuse = {}
    at.do({ control: "stop", turn_id: "t1" })
    await at.until(() => expect(at.look().problem).toBeUndefined())
  })

  it("a list that was refused is said until one can be read, which leaves the refusal of a command", async () => {
    const at = await streaming()
    at.host.refuseList = { code: "internal_error", message: "An error of its own." }
    await at.store.refresh()
    await at.sees({ problem: { code: "internal_error" } })
    at.host.refuse = { interrupt_turn: { code: "wrong_state", message: "It has ended." } }
    at.do({ control: "stop", turn_id: "t1" })
    await at.sees({ problem: { code: "wrong_state" } })
    at.host.refuseList = undefined
    await at.store.refresh()
    await at.sees({ problem: { code: "wrong_state" }, connection: { state: "live" } })
    at.do({ control: "dismiss" })
    await at.until(() => expect(at.look().problem).toBeUndefined())
  })

  it("a session that does not exist is said", async () => {
    const at = page()
    at.do({ control: "open", session_id: "ses_none" })
    await at.sees({
      unreadable: { code: "not_found", message: "No such session." },
      loading: false,
      tabs: [],
    })
  })

  it.each(["the list", "a session", "a stream"])("a refused token on %s is reported", async (where) => {
    const at = where === "a stream" ? await streaming() : page()
    at.host.token = "other"
    if (where === "the list") await at.store.refresh()
    if (where === "a session") at.do({ control: "open", session_id: "ses_1" })
    if (where === "a stream") at.do({ control: "reconnect" })
    await at.until(() => expect(at.unauthorized()).toBeGreaterThan(0))
  })
})

describe("a long session", () => {
  it("is read back until the running turn has its beginning, and further on demand", async () => {
    const host = new FakeHost()
    const story = host.story("ses_1").begin()
    story
      .submit("t1", "One")
      .start("t1")
      .request("t1", "r1")
      .complete("t1", "r1", [text("p", "First.")])
    story.submit("t2", "Two").start("t2").request("t2", "r2")
    for (const piece of ["a", "b", "c", "d", "e"]) story.delta("t2", "r2", "p", piece)
    host.window = 3
    const at = page(host)
    at.do({ control: "open", session_id: "ses_1" })
    await at.sees({ connection: { state: "live" }, turns: [{ text: "Two" }], hasEarlier: true })
    expect(at.answer()).toBe("abcde")
    const reads = host.calls.length
    host.window = 1000
    at.do({ control: "earlier" })
    await at.sees({ turns: [{ text: "One" }, { text: "Two" }], hasEarlier: false })
    expect(host.calls).toHaveLength(reads + 1)
    expect(at.answer()).toBe("First.|abcde")
    story.delta("t2", "r2", "p", "f")
    host.flush()
    await at.until(() => expect(at.answer()).toBe("First.|abcdef"))
  })
})

it("a window that cuts an ended turn is enough, and does not show half of it", async () => {
  const host = new FakeHost()
  const story = host.story("ses_1").begin()
  for (const turn of ["t1", "t2", "t3"]) {
    story.submit(turn, `Ask ${turn}`).start(turn).request(turn, `r${turn}`)
    story.complete(turn, `r${turn}`, [text("p", `Answer ${turn}`)])
  }
  host.window = 8
  const at = page(host)
  at.do({ control: "open", session_id: "ses_1" })
  await at.sees({ connection: { state: "live" }, turns: [{ text: "Ask t3" }], hasEarlier: true })
  expect(at.answer()).toBe("Answer t3")
  expect(host.calls.map(({ name }) => name)).toEqual(["get_session", "get_thread_read"])
})

describe("tabs", () => {
  it("stand in the order in which sessions began, and the open one has its own facts' title and state", async () => {
    const host = new FakeHost()
    host.story("ses_0").begin()
    host.story("ses_2").begin()
    const at = await streaming(host)
    await at.store.refresh()
    await at.sees({
      tabs: [
        { session_id: "ses_2", title: "Title of ses_2", state: "idle" },
        { session_id: "ses_1", title: "First", state: "running" },
        { session_id: "ses_0", title: "Title of ses_0", state: "idle" },
      ],
    })
  })

  it.each([
    ["completed", "done"],
    ["failed", "failed"],
    ["timed_out", "failed"],
    ["cancelled", "cancelled"],
    [undefined, "idle"],
  ])("of a session that is not open tell that its last turn ended as %s: %s", async (outcome, state) => {
    const at = page()
    at.host.story("ses_1").begin()
    if (outcome !== undefined) at.host.outcomes.ses_1 = outcome
    await at.store.refresh()
    await at.sees({ tabs: [{ session_id: "ses_1", state }] })
  })
})
