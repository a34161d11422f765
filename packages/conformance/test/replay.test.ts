import { isDeepStrictEqual } from "node:util"
import { type AgentUiState, acceptGap, emptyState, reduce, repairsOf, type UiFrame } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { plainState } from "@factum/agent-ui/plain"
import type { Envelope } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { scenarioNames } from "../src/scenario.ts"
import { readLog, readTrace, traceNames } from "../src/traces.ts"

type Random = () => number

/** The same seed gives the same numbers. */
function randomOf(seed: number): Random {
  let at = seed
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  const mixed = [...all]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const held = mixed[last] as T
    mixed[last] = mixed[other] as T
    mixed[other] = held
  }
  return mixed
}

function chunked<T>(all: readonly T[], random: Random): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < all.length; ) {
    const size = 1 + Math.floor(random() * 12)
    chunks.push(all.slice(at, at + size))
    at += size
  }
  return chunks
}

const fed = (chunks: readonly (readonly UiFrame[])[]): AgentUiState =>
  chunks.reduce<AgentUiState>((state, chunk) => reduce(state, chunk), emptyState())

const doubled = (frames: readonly UiFrame[], random: Random) =>
  frames.flatMap((frame) => (random() < 0.3 ? [frame, frame] : [frame]))

/** Loses some frames that no other one stands for, then repairs what the projection asks for, as often as it asks. */
function cutAndRepaired(frames: readonly UiFrame[], random: Random): AgentUiState {
  const ranges = frames.flatMap(({ stream, supersedes }) => (supersedes ? [{ stream, ...supersedes }] : []))
  const isStoodFor = ({ stream, sequence }: UiFrame) =>
    ranges.some((one) => one.stream === stream && one.from <= sequence && sequence <= one.to)
  const kept = frames.filter((frame) => random() > 0.15 || isStoodFor(frame))
  let state = fed(chunked(shuffled(kept, random), random))
  for (let round = 0; round < frames.length && repairsOf(state).length > 0; round++) {
    for (const { stream, from, to } of repairsOf(state)) {
      const found = frames.filter(
        (one) => one.stream === stream && one.sequence >= from && one.sequence <= to,
      )
      state = acceptGap(reduce(state, found), { stream, from, to })
    }
  }
  // What was lost at the end of a stream leaves no gap: the next read of the log brings it, and nothing else.
  const ends = new Map([...state.streams.values()].map(({ stream, applied }) => [stream, applied]))
  return reduce(
    state,
    frames.filter(({ stream, sequence }) => sequence > (ends.get(stream) ?? 0)),
  )
}

const ways: Readonly<Record<string, (frames: readonly UiFrame[], random: Random) => AgentUiState>> = {
  "one by one": (frames) => fed(frames.map((frame) => [frame])),
  "in chunks": (frames, random) => fed(chunked(frames, random)),
  shuffled: (frames, random) => fed(chunked(shuffled(frames, random), random)),
  doubled: (frames, random) => fed(chunked(shuffled(doubled(frames, random), random), random)),
  reversed: (frames) => fed([frames.toReversed()]),
  "cut and repaired": cutAndRepaired,
}

/**
 * How many seeds: by default about the same work for each trace, few for long ones. `FACTUM_SEEDS=2000 npm test --
 * packages/conformance/test/replay.test.ts` takes that many for each trace, scenario and way.
 */
const wanted = Number(process.env.FACTUM_SEEDS ?? 0)
const seedsFor = (frames: number) => wanted || Math.max(1, Math.min(10, Math.floor(400 / frames)))
const timeout = wanted ? 3_600_000 : 60_000

const facts = plainState

const recorded: [string, () => Envelope[]][] = [
  ...traceNames().map((name): [string, () => Envelope[]] => [`trace ${name}`, () => readTrace(name)]),
  ...scenarioNames().map((name): [string, () => Envelope[]] => [`scenario ${name}`, () => readLog(name)]),
]

describe.each(recorded)("%s", (_, read) => {
  const frames = read().map(fromRuntime)
  const whole = facts(settle(fed([frames])))
  test.each(Object.keys(ways))(
    "[UI-ORDER-9] %s it comes to the same",
    (way) => {
      for (let seed = 1; seed <= seedsFor(frames.length); seed++) {
        const state = facts(settle(ways[way]?.(frames, randomOf(seed)) ?? emptyState()))
        if (!isDeepStrictEqual(state, whole)) expect(state, `seed ${seed}`).toEqual(whole)
      }
    },
    timeout,
  )
  test(
    "[UI-LIFE-7] replaying what was recorded comes to the live state, also when finals overtake their chunks",
    () => {
      for (let seed = 1; seed <= seedsFor(frames.length); seed++) {
        const random = randomOf(seed)
        const live = facts(settle(fed(chunked(near(frames, random), random))))
        if (!isDeepStrictEqual(live, whole)) expect(live, `seed ${seed}`).toEqual(whole)
      }
    },
    timeout,
  )
})

test("the scenarios are replayed with everything that they recorded", () => {
  const all = recorded.flatMap(([, read]) => read().map(fromRuntime))
  expect(all.filter(({ supersedes }) => supersedes !== undefined).length).toBeGreaterThan(50)
  expect(new Set(all.map(({ stream }) => stream)).size).toBeGreaterThan(recorded.length / 2)
})

/** Neighbours that overtake each other, as on several connections. */
function near<T>(all: readonly T[], random: Random): T[] {
  const mixed = [...all]
  for (let at = 1; at < mixed.length; at++) {
    if (random() > 0.3) continue
    const held = mixed[at] as T
    mixed[at] = mixed[at - 1] as T
    mixed[at - 1] = held
  }
  return mixed
}

function settle(state: AgentUiState): AgentUiState {
  const open = repairsOf(state)
  return open.length === 0 ? state : settle(open.reduce(acceptGap, state))
}
