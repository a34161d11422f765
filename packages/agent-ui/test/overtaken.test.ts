import { describe, expect, test } from "vitest"
import { type AgentUiState, changeLocal, emptyState, reduce, repairsOf } from "../src/index.ts"
import { plainState } from "../src/plain.ts"
import { codes, delta, final, type Loose, markersOf, run, textsOf, tool } from "./given.ts"

type Frame = { stream: string; sequence: number; events: Loose[]; supersedes?: { from: number; to: number } }

const frames = (chunks: readonly string[], whole: string): Frame[] => {
  const events = [run("started"), ...chunks.map((chunk) => delta(chunk)), tool("started")]
  const told = [...events, final(whole, { partId: "m1/0" }), tool("result"), run("finished")]
  return told.map((event, at) => {
    const range = event.type === "text.final" ? { supersedes: { from: 2, to: chunks.length + 2 } } : {}
    return { stream: "s1", sequence: at + 1, events: [event], ...range }
  })
}
const fed = (all: readonly unknown[]) =>
  all.reduce((state: AgentUiState, frame) => reduce(state, [frame]), emptyState())

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]]
  return all.flatMap((one, at) => permutations(all.toSpliced(at, 1)).map((rest) => [one, ...rest]))
}

describe("a final that overtakes its own chunks", () => {
  test.each([
    ["confirmed", ["a", "b"], "ab"],
    ["corrected", ["Hello wrold", "!"], "Hello world!"],
    ["replaced", ["a", "b"], "quite another"],
  ])("[UI-TEXT-4] is %s as in order, in every order of arrival", (marker, chunks, whole) => {
    const all = frames(chunks, whole)
    const inOrder = plainState(fed(all))
    expect(markersOf(fed(all))).toEqual([marker])
    for (const mixed of permutations(all)) {
      const state = fed(mixed)
      expect(plainState(state)).toEqual(inOrder)
      expect(codes(state)).not.toContain("conflict")
    }
  })
  test("[UI-TEXT-4] has no verdict over what was not seen whole", () => {
    const [started, one, two, , ended] = frames(["a", "b"], "ab")
    expect(markersOf(fed([started, one, ended]))).toEqual([undefined])
    expect(markersOf(fed([started, two, ended]))).toEqual([undefined])
    expect(textsOf(fed([started, one, ended]))).toEqual(["ab"])
    expect(repairsOf(fed([started, one, ended]))).toEqual([])
  })
  test("[UI-TEXT-4] a final without words has no verdict either, and one that was seen whole has", () => {
    const bare = { stream: "s1", sequence: 4, events: [final(undefined)], supersedes: { from: 1, to: 3 } }
    const pieces = [1, 2, 3].map((sequence) => ({ stream: "s1", sequence, events: [delta("x")] }))
    expect(markersOf(fed([pieces[0], pieces[2], bare]))).toEqual([undefined])
    expect(markersOf(fed([...pieces, bare]))).toEqual(["confirmed"])
  })
  test("[UI-ORDER-9] in one batch, and with repeats, it is the same", () => {
    const all = frames(["a", "b", "c"], "abc")
    const inOrder = plainState(fed(all))
    expect(plainState(reduce(emptyState(), all.toReversed()))).toEqual(inOrder)
    expect(plainState(fed([...all.toReversed(), ...all]))).toEqual(inOrder)
  })
  test("[UI-ORDER-9] what this client chose meanwhile stays, and a real gap stays marked", () => {
    const [started, one, two, call, ended, result, over] = frames(["a", "b"], "ab")
    let state = fed([started, ended, over])
    expect(repairsOf(state)).toEqual([{ stream: "s1", from: 6, to: 6 }])
    state = changeLocal(state, { kind: "draft", id: "s1", text: "unsent" })
    const { revision } = state
    for (const late of [two, call, one]) {
      state = reduce(state, [late])
      expect(repairsOf(state)).toEqual([{ stream: "s1", from: 6, to: 6 }])
    }
    expect(state.local.drafts.get("s1")).toBe("unsent")
    expect(state.revision).toBeGreaterThan(revision)
    expect(codes(state)).toEqual(["gap"])
    state = reduce(state, [result])
    expect(plainState(state)).toEqual(plainState(fed(frames(["a", "b"], "ab"))))
  })
  test("what is kept to begin again from is bounded", () => {
    const [started, , , , ended] = frames(["a", "b"], "ab")
    let state = fed([started, ended])
    expect(state.before?.since).toHaveLength(1)
    state = reduce(
      state,
      Array.from({ length: 5000 }, () => delta("x", { messageId: "m2" })),
    )
    expect(state.before).toBeUndefined()
  })
})

describe("numbers that are passed over", () => {
  const over = (from: number, to: number, sequence = to + 1): Frame => ({
    stream: "s1",
    sequence,
    events: [],
    supersedes: { from, to },
  })
  test("[UI-ORDER-4] cost nothing, however many there are", () => {
    const state = fed([{ stream: "s1", sequence: 1, events: [] }, over(2, 2_000_000_000)])
    expect(state.streams.get("s1")).toMatchObject({
      applied: 2_000_000_001,
      waiting: 0,
      skipped: [{ from: 2, to: 2_000_000_000 }],
    })
    const next = reduce(state, [delta("a", { sequence: 9_007_199_254_740_000, sessionId: "far" })])
    expect(textsOf(next)).toEqual(["a"])
  })
  test("[UI-ORDER-4] ranges one after the other, and nested, skip what is missing alone", () => {
    const inside = { stream: "s1", sequence: 500, events: [delta("a")] }
    const first = { stream: "s1", sequence: 1, events: [] }
    const state = fed([over(1001, 1e9, 1e9 + 1), inside, over(2, 999, 1000), first])
    expect(state.streams.get("s1")).toMatchObject({ applied: 1e9 + 1, waiting: 0 })
    expect(textsOf(state)).toEqual(["a"])
    expect(state.streams.get("s1")?.skipped).toEqual([
      { from: 2, to: 499 },
      { from: 501, to: 999 },
      { from: 1001, to: 1e9 },
    ])
  })
  test("[UI-ORDER-4] a frame stands for nothing after itself", () => {
    const state = fed([
      { stream: "s1", sequence: 1, events: [] },
      over(2, 100, 4),
      { stream: "s1", sequence: 8, events: [] },
    ])
    expect(state.streams.get("s1")).toMatchObject({ applied: 4, waiting: 1, gap: { from: 5, to: 7 } })
  })
  test("[UI-ORDER-2] a repeat from before them is known, and one far behind is let go", () => {
    const state = fed([
      { stream: "s1", sequence: 1, events: [delta("a")] },
      over(2, 4000),
      { stream: "s1", sequence: 1, events: [delta("b")] },
    ])
    expect(codes(state)).toEqual(["conflict"])
    expect(
      codes(fed([{ stream: "s1", sequence: 1, events: [] }, over(2, 9000), delta("x", { sequence: 1 })])),
    ).toEqual([])
  })
})
