import type { Fact } from "@factum/client"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Conversation, partsOf } from "../src/client/conversation.ts"
import { Ledger } from "../src/client/ledger.ts"
import { answered, Story, text } from "./story.ts"

type Chunk = { part: number; kind: "text" | "reasoning"; text: string }
type Plan = { chunks: Chunk[]; ends: "completed" | "failed" | "open"; queues: boolean; asks: boolean }

const chunk = fc.record({
  part: fc.nat(2),
  kind: fc.constantFrom("text" as const, "reasoning" as const),
  text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
})
const plan = fc.record({
  chunks: fc.array(chunk, { maxLength: 8 }),
  ends: fc.constantFrom("completed" as const, "completed" as const, "failed" as const, "open" as const),
  queues: fc.boolean(),
  asks: fc.boolean(),
})

/** Two threads whose turns run at the same time, their facts interleaved as `picks` says. */
const stories = fc
  .tuple(
    fc.array(plan, { minLength: 1, maxLength: 3 }),
    fc.array(plan, { maxLength: 2 }),
    fc.array(fc.boolean()),
  )
  .map(([one, two, picks]) => {
    const story = new Story().begin()
    const first = one.flatMap((p, at) => actsOf(story, p, `a${at}`, "thr_1"))
    const second = two.flatMap((p, at) => actsOf(story, p, `b${at}`, "thr_2"))
    for (const pick of picks) (pick ? first : second).shift()?.()
    for (const act of [...first, ...second]) act()
    return story.facts
  })

function actsOf(
  story: Story,
  { chunks, ends, queues, asks }: Plan,
  turn: string,
  thread: string,
): (() => void)[] {
  const request = `r_${turn}`
  // Reasoning and text may share a part id, and are two parts all the same.
  const idOf = (c: Chunk) => `p${c.part}`
  const acts = [
    () => story.submit(turn, `Ask ${turn}`, thread),
    () => story.start(turn, thread),
    () => story.request(turn, request, thread),
    ...chunks.map((c) => () => {
      if (c.kind === "text") story.delta(turn, request, idOf(c), c.text, thread)
      else story.think(turn, request, idOf(c), c.text, thread)
    }),
  ]
  if (asks) {
    acts.splice(
      4,
      0,
      () => story.call(turn, request, `c_${turn}`, "write", { path: turn }),
      () => story.ask(turn, `c_${turn}`),
    )
    acts.push(() => story.settle(turn, `c_${turn}`, answered("allow")).result(turn, `c_${turn}`, "Done."))
  }
  if (queues) {
    acts.splice(4, 0, () =>
      story.submit(`${turn}q`, "Later", thread).queue("enqueued", `q_${turn}q`, [`${turn}q`], thread),
    )
    acts.push(() => story.queue("removed", `q_${turn}q`, [], thread))
  }
  const joined = new Map<string, Chunk>()
  for (const c of chunks) {
    const key = c.kind + c.part
    joined.set(key, { ...c, text: (joined.get(key)?.text ?? "") + c.text })
  }
  const parts = [...joined.values()].map((c) => ({ kind: c.kind, part_id: idOf(c), text: c.text }))
  if (ends === "completed") acts.push(() => story.complete(turn, request, parts, thread))
  if (ends === "failed") acts.push(() => story.fail(turn, request, parts, thread))
  return acts
}

/** The facts in any order, some of them twice, in batches of any size. */
const deliveries = (facts: readonly Fact[]) =>
  fc
    .tuple(
      fc.shuffledSubarray([...facts], { minLength: facts.length, maxLength: facts.length }),
      fc.subarray([...facts]),
      fc.array(fc.integer({ min: 1, max: 6 })),
    )
    .map(([shuffled, again, sizes]) => batches([...shuffled, ...again], sizes))

function batches(facts: readonly Fact[], sizes: readonly number[]): Fact[][] {
  const rest = [...facts]
  const cut = sizes.map((size) => rest.splice(0, size))
  return [...cut, rest]
}

function told(...delivered: readonly (readonly Fact[])[]): Conversation {
  const ledger = new Ledger()
  for (const batch of delivered) ledger.take(batch)
  expect(ledger.gap).toBeUndefined()
  return ledger.conversation
}

const isPrunable = (facts: readonly Fact[]) => {
  const ended = new Set(
    facts.flatMap((f) =>
      f.type === "model.completed" || f.type === "model.failed" ? f.payload.request_id : [],
    ),
  )
  return (f: Fact) =>
    (f.type === "model.delta" || f.type === "reasoning.delta") && ended.has(f.payload.request_id)
}

describe("the same facts tell the same conversation", () => {
  it("split, repeated and out of order", () => {
    const cases = stories.chain((facts) => fc.tuple(fc.constant(facts), deliveries(facts)))
    fc.assert(
      fc.property(cases, ([facts, delivered]) => {
        expect(told(...delivered)).toEqual(told(facts))
      }),
      { numRuns: 300 },
    )
  })

  it("with any of the superseded deltas pruned", () => {
    const cases = stories.chain((facts) =>
      fc
        .subarray(facts.filter(isPrunable(facts)))
        .map((pruned) => facts.filter((fact) => !pruned.includes(fact)))
        .chain((kept) => fc.tuple(fc.constant(facts), deliveries(kept))),
    )
    fc.assert(
      fc.property(cases, ([facts, delivered]) => {
        expect(told(...delivered)).toEqual(told(facts))
      }),
      { numRuns: 300 },
    )
  })

  it("read as a window, followed, and then widened backwards", () => {
    const cases = stories.chain((facts) => fc.tuple(fc.constant(facts), fc.nat(), fc.nat(), fc.nat()))
    fc.assert(
      fc.property(cases, ([facts, a, b, c]) => {
        const [low, middle, high] = [a, b, c].map((n) => n % (facts.length + 1)).sort((x, y) => x - y)
        const ledger = new Ledger()
        ledger.load(facts.slice(middle, high), high ?? 0)
        ledger.take(facts.slice(high))
        ledger.load(facts.slice(low, middle), high ?? 0)
        ledger.load(facts.slice(0, low), high ?? 0)
        expect(ledger.gap).toBeUndefined()
        expect(ledger.head).toBe(facts.length)
        expect(ledger.conversation).toEqual(told(facts))
      }),
    )
  })
})

it("text only grows while it streams, and never repeats", () => {
  fc.assert(
    fc.property(stories, fc.array(fc.integer({ min: 1, max: 4 })), (facts, sizes) => {
      const whole = told(facts)
      const ledger = new Ledger()
      for (const batch of batches(facts, sizes)) {
        ledger.take(batch)
        ledger.take(batch)
        for (const turn of ledger.conversation.turns.values()) {
          const final = whole.turns.get(turn.turn_id)
          for (const { key, text } of partsOf(turn)) {
            const found = final && partsOf(final).find((part) => part.key === key)
            expect(found?.text.startsWith(text)).toBe(true)
          }
        }
      }
    }),
  )
})

describe("a hole", () => {
  const story = new Story().begin().submit("t1", "Hi").start("t1").request("t1", "r1")
  for (const piece of ["Hel", "lo ", "wor", "ld"]) story.delta("t1", "r1", "p", piece)
  const open = [...story.facts]
  const { facts } = story.complete("t1", "r1", [text("p", "Hello world")])
  const textNow = (ledger: Ledger) => ledger.conversation.turns.get("t1")?.requests[0]?.parts[0]?.text
  const first = 7

  function holed(): Ledger {
    const ledger = new Ledger()
    ledger.take(open.filter((fact) => fact.sequence !== first + 1))
    return ledger
  }

  it("holds the text back instead of joining what is not next to each other", () => {
    const ledger = holed()
    expect(textNow(ledger)).toBe("Hel")
    expect(ledger.gap).toEqual({ from: first + 1, to: first + 1 })
    expect(ledger.head).toBe(first)
  })

  it("closes when its fact comes", () => {
    const ledger = holed()
    ledger.take(open.slice(first, first + 1))
    expect(textNow(ledger)).toBe("Hello world")
    expect(ledger.gap).toBeUndefined()
  })

  it("is none once the final fact covers it", () => {
    const ledger = holed()
    ledger.take(facts.slice(open.length))
    expect(textNow(ledger)).toBe("Hello world")
    expect(ledger.gap).toBeUndefined()
    expect(ledger.incomplete).toBe(false)
  })

  it("that is given up is said, and healed by a fact that comes after all", () => {
    const ledger = holed()
    ledger.giveUpGap()
    expect(textNow(ledger)).toBe("Helworld")
    expect(ledger.incomplete).toBe(true)
    expect(ledger.gap).toBeUndefined()
    ledger.take(open.slice(first, first + 1))
    expect(textNow(ledger)).toBe("Hello world")
    expect(ledger.incomplete).toBe(false)
  })
})

describe("turns", () => {
  it("facts that are known already change nothing at all", () => {
    const { facts } = new Story().begin().submit("t1", "One").start("t1")
    const ledger = new Ledger()
    ledger.take(facts)
    const before = ledger.conversation
    ledger.take(facts)
    expect(ledger.conversation).toBe(before)
  })

  it("a turn that was not touched keeps its identity, so that it is not drawn again", () => {
    const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
    story
      .complete("t1", "r1", [text("p", "Done")])
      .submit("t2", "Two")
      .start("t2")
      .request("t2", "r2")
    const ledger = new Ledger()
    ledger.take(story.facts)
    const before = ledger.conversation.turns
    ledger.take([story.delta("t2", "r2", "p", "x").facts.at(-1) as Fact])
    expect(ledger.conversation.turns.get("t1")).toBe(before.get("t1"))
    expect(ledger.conversation.turns.get("t2")).not.toBe(before.get("t2"))
  })

  it("a removed turn takes no place in the conversation, a started one does", () => {
    const story = new Story().begin().submit("t1", "One").start("t1")
    story.submit("t2", "Two").queue("enqueued", "q_t2", ["t2"])
    story.submit("t3", "Three").queue("enqueued", "q_t3", ["t2", "t3"]).queue("removed", "q_t2", ["t3"])
    const failure = { status: "cancelled", category: "interrupted", reason: "Removed." } as const
    story.add("turn.failed", { thread_id: "thr_1", turn_id: "t2" }, failure)
    const waiting = told(story.facts)
    expect(waiting.order).toEqual(["t1"])
    expect(waiting.queue).toEqual([{ queued_turn_id: "q_t3", turn_id: "t3", thread_id: "thr_1" }])
    expect(told(story.queue("dequeued", "q_t3", []).start("t3").facts).order).toEqual(["t1", "t3"])
  })

  it("text, reasoning and tool calls stay apart and in order", () => {
    const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
    story.think("t1", "r1", "p0", "Hm").delta("t1", "r1", "p1", "Hel").delta("t1", "r1", "p1", "lo")
    const ids = { thread_id: "thr_1", turn_id: "t1" }
    const call = { request_id: "r1", part_id: "p2", kind: "tool_call", tool: "read", call_id: "c" } as const
    story.add("model.delta", ids, { ...call, text: '{"a"' })
    story.add("model.delta", ids, { ...call, text: ":1}" })
    story.delta("t1", "r1", "p3", "Bye")
    expect(told(story.facts).turns.get("t1")?.requests[0]?.parts).toEqual([
      { key: "reasoning:p0", kind: "reasoning", text: "Hm" },
      { key: "text:p1", kind: "text", text: "Hello" },
      { key: "tool_call:p2", kind: "tool_call", text: '{"a":1}', tool: "read", call_id: "c" },
      { key: "text:p3", kind: "text", text: "Bye" },
    ])
  })

  it("reasoning and text that share a part id stay apart, streamed and final", () => {
    const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
    story.think("t1", "r1", "p", "Hm").delta("t1", "r1", "p", "Hel").think("t1", "r1", "p", "m")
    story.delta("t1", "r1", "p", "lo")
    const parts = [
      { key: "reasoning:p", kind: "reasoning", text: "Hmm" },
      { key: "text:p", kind: "text", text: "Hello" },
    ]
    const partsNow = () => told(story.facts).turns.get("t1")?.requests[0]?.parts
    expect(partsNow()).toEqual(parts)
    const ids = { thread_id: "thr_1", turn_id: "t1" }
    story.add("reasoning.summary", ids, { request_id: "r1", part_id: "p", text: "In short", by: "provider" })
    expect(partsNow()).toEqual([{ ...parts[0], text: "In short" }, parts[1]])
    const thought = { kind: "reasoning" as const, part_id: "p", text: "In short" }
    story.complete("t1", "r1", [thought, text("p", "Hello")])
    expect(partsNow()).toEqual([{ ...parts[0], text: "In short" }, parts[1]])
  })

  it("a corrected final replaces the text once and is marked", () => {
    const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
    story.delta("t1", "r1", "p", "Helo")
    const usage = { input_tokens: "unknown", output_tokens: 3 } as const
    const final = { request_id: "r1", parts: [text("p", "Hello")], corrected: ["p"], usage } as const
    story.add(
      "model.completed",
      { thread_id: "thr_1", turn_id: "t1" },
      {
        ...final,
        parts: [...final.parts],
        corrected: ["p"],
        finish: "length",
      },
    )
    story.delta("t1", "r1", "p", " late")
    expect(told(story.facts).turns.get("t1")?.requests).toEqual([
      {
        request_id: "r1",
        ended: true,
        finish: "length",
        parts: [{ key: "text:p", kind: "text", text: "Hello", corrected: true }],
      },
    ])
  })

  it("a failed request keeps its partial text apart from that of the next one", () => {
    const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
    story.delta("t1", "r1", "p", "Par").fail("t1", "r1", [text("p", "Par")])
    const turn = told(story.facts).turns.get("t1")
    expect(turn?.requests).toEqual([
      {
        request_id: "r1",
        ended: true,
        parts: [{ key: "text:p", kind: "text", text: "Par" }],
        failure: { category: "cut_stream", reason: "Cut." },
      },
    ])
    expect(turn?.status).toBe("failed")
    expect(turn?.outcome).toEqual({ category: "cut_stream", reason: "Cut.", next: "Try it." })
  })
})
