import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type AgentUiState, acceptGap, emptyState, reduce, repairsOf } from "../src/index.ts"
import { plainState } from "../src/plain.ts"
import { session } from "./scripts.ts"

const seeds = { seed: 20_261, numRuns: 1500 }
const start = emptyState()
const inOrder = (frames: readonly unknown[]) => plainState(reduce(start, frames))
const oneByOne = (frames: readonly unknown[]) =>
  frames.reduce((state: AgentUiState, frame) => reduce(state, [frame]), start)

/** Cuts a list into batches at the given places. */
function batches<T>(list: readonly T[], cuts: readonly number[]): T[][] {
  const places = [...new Set(cuts.map((cut) => cut % (list.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => list.slice(from, places[at] ?? list.length))
}
const shuffled = session.chain((frames) =>
  fc.tuple(fc.constant(frames), fc.shuffledSubarray(frames, { minLength: frames.length })),
)

/** A value so deep that no recursion gets to its end. */
function deep(levels: number): unknown {
  let value: unknown = "end"
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value }
  return value
}
function circle(): unknown {
  const record: Record<string, unknown> = {}
  const list: unknown[] = [record]
  record.list = list
  return record
}
/** Small, and endless for whoever follows every path. */
function twins(): unknown {
  let value: unknown = {}
  for (let level = 0; level < 60; level++) value = [value, value]
  return value
}
function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const thrower = () => ({
  get type() {
    throw new Error("cannot be read")
  },
})
const hostile = fc
  .tuple(
    fc.constantFrom(deep(20_000), circle()),
    fc.constantFrom("state.snapshot", "state.delta", "text.delta", "acme.other"),
    fc.option(fc.nat({ max: 9 }), { nil: undefined }),
    fc.boolean(),
  )
  .map(([value, type, sequence, framed]): unknown => {
    const event = { type, messageId: "m1", payload: { state: value, patch: value, delta: value } }
    return framed ? { stream: "s1", sequence: sequence ?? 1, events: [event] } : { ...event, sequence }
  })

describe("the same facts give the same state", () => {
  test("[UI-ORDER-9] in one batch, in any batches, one at a time", () => {
    fc.assert(
      fc.property(session, fc.array(fc.nat(), { maxLength: 6 }), (frames, cuts) => {
        const expected = inOrder(frames)
        expect(
          plainState(batches(frames, cuts).reduce((state, batch) => reduce(state, batch), start)),
        ).toEqual(expected)
        expect(plainState(oneByOne(frames))).toEqual(expected)
      }),
      seeds,
    )
  })
  test("[UI-ORDER-9] whole states are equal too, with findings and counters", () => {
    fc.assert(
      fc.property(session, (frames) => {
        const [one, many] = [reduce(start, frames), oneByOne(frames)]
        expect([...many.findings]).toEqual([...one.findings])
        expect([many.opened, many.dropped, many.waiting]).toEqual([one.opened, one.dropped, one.waiting])
      }),
      { ...seeds, numRuns: 300 },
    )
  })
  test("[UI-ORDER-1] shuffled", () => {
    fc.assert(
      fc.property(shuffled, fc.array(fc.nat(), { maxLength: 6 }), ([frames, mixed], cuts) => {
        const state = batches(mixed, cuts).reduce((at, batch) => reduce(at, batch), start)
        expect(plainState(state)).toEqual(inOrder(frames))
      }),
      seeds,
    )
  })
  test("[UI-ORDER-2] duplicated", () => {
    fc.assert(
      fc.property(session, fc.array(fc.nat(), { maxLength: 20 }), (frames, again) => {
        const doubled = [...frames, ...again.map((at) => frames[at % frames.length])].sort(
          (a, b) => ((a?.sequence ?? 0) % 7) - ((b?.sequence ?? 0) % 7),
        )
        const state = oneByOne(doubled)
        expect(plainState(state)).toEqual(inOrder(frames))
        expect([...state.findings].map(({ code }) => code)).not.toContain("conflict")
      }),
      seeds,
    )
  })
  test("[UI-ORDER-4] cut and repaired from the log", () => {
    fc.assert(
      fc.property(session, fc.array(fc.nat(), { maxLength: 10 }), (frames, lost) => {
        const gone = new Set(lost.map((at) => at % frames.length))
        // The last frame shows that something is missing.
        let state = reduce(
          start,
          frames.filter((_, at) => !gone.has(at) || at === frames.length - 1),
        )
        for (let [request] = repairsOf(state); request; [request] = repairsOf(state)) {
          const { from, to } = request
          state = acceptGap(
            reduce(
              state,
              frames.filter(({ sequence }) => sequence >= from && sequence <= to),
            ),
            request,
          )
        }
        expect(plainState(state)).toEqual(inOrder(frames))
      }),
      seeds,
    )
  })
  test("[UI-LIFE-7] replayed from the record, as JSON, by another client", () => {
    fc.assert(
      fc.property(session, (frames) => {
        expect(inOrder(JSON.parse(JSON.stringify(frames)))).toEqual(plainState(oneByOne(frames)))
      }),
      seeds,
    )
  })
  test("a state that was read never changes by what comes later", () => {
    fc.assert(
      fc.property(session, fc.nat(), (frames, cut) => {
        const at = cut % frames.length
        const earlier = reduce(start, frames.slice(0, at))
        const before = plainState(earlier)
        oneByOne(frames.slice(at))
        reduce(earlier, frames.slice(at))
        // A second future of the same past is as good as the first.
        expect(plainState(reduce(earlier, frames.slice(at)))).toEqual(inOrder(frames))
        expect(plainState(earlier)).toEqual(before)
      }),
      { ...seeds, numRuns: 500 },
    )
  })
  test("nothing that comes throws, and nothing keeps the rest of its batch from its effect", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.anything(),
            fc.record({
              type: fc.constantFrom(
                "text.delta",
                "run.status",
                "team.changed",
                "messages.snapshot",
                "queue.changed",
                "state.delta",
              ),
              sequence: fc.anything(),
              messageId: fc.anything(),
              runId: fc.anything(),
              payload: fc.anything(),
            }),
            fc.record({ stream: fc.anything(), sequence: fc.anything(), events: fc.anything() }),
            hostile,
          ),
        ),
        fc.nat(),
        (inputs, at) => {
          const valid = { type: "text.delta", sessionId: "mine", messageId: "mine", payload: { delta: "x" } }
          const state = reduce(start, inputs.toSpliced(at % (inputs.length + 1), 0, valid))
          plainState(state)
          expect(state.messages.get("mine")?.parts).toHaveLength(1)
        },
      ),
      seeds,
    )
  })
  test.each(["an implied stream", "a frame", "no stream"])(
    "what is deep, circular, endless or cannot be read is cut, alone of its batch, in %s",
    (way) => {
      for (const value of [deep(20_000), circle(), twins(), revoked(), thrower()]) {
        const event = { type: "state.snapshot", sessionId: "s1", payload: { state: value } }
        const input =
          way === "a frame"
            ? { stream: "s1", sequence: 1, events: [event] }
            : { ...event, ...(way === "no stream" ? {} : { sequence: 1 }) }
        const words = { type: "text.delta", messageId: "m", payload: { delta: "x" } }
        const state = reduce(start, [words, input, thrower(), revoked(), words])
        expect(JSON.stringify([...state.messages.values()][0]?.parts)).toContain("xx")
        expect([...state.findings].map(({ code }) => code)).toContain("rejected_event")
      }
    },
  )
})
