import {
  type AgentUiState,
  acceptGap,
  emptyState,
  plainState,
  reduce,
  repairsOf,
  type UiFrame,
} from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { describe, expect, test } from "vitest"
import { summarise } from "../src/projection.ts"
import { readTrace, traceNames } from "../src/traces.ts"

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

/** Loses some frames, then repairs what the projection asks for, as often as it asks. */
function cutAndRepaired(frames: readonly UiFrame[], random: Random): AgentUiState {
  const kept = frames.filter(() => random() > 0.15)
  let state = fed(chunked(shuffled(kept, random), random))
  for (let round = 0; round < frames.length && repairsOf(state).length > 0; round++) {
    for (const { stream, from, to } of repairsOf(state)) {
      const found = frames.filter(
        (one) => one.stream === stream && one.sequence >= from && one.sequence <= to,
      )
      state = acceptGap(reduce(state, found), { stream, from, to })
    }
  }
  // What was lost at the end of a stream leaves no gap: the next read of the log brings it.
  return reduce(state, frames)
}

const ways: Readonly<Record<string, (frames: readonly UiFrame[], random: Random) => AgentUiState>> = {
  "one by one": (frames) => fed(frames.map((frame) => [frame])),
  "in chunks": (frames, random) => fed(chunked(frames, random)),
  shuffled: (frames, random) => fed(chunked(shuffled(frames, random), random)),
  doubled: (frames, random) => fed(chunked(shuffled(doubled(frames, random), random), random)),
  reversed: (frames) => fed([frames.toReversed()]),
  "cut and repaired": cutAndRepaired,
}

/** About the same work for each trace: few seeds for long ones, many for short ones. */
const seedsFor = (frames: number) => Math.max(3, Math.min(60, Math.floor(3000 / frames)))

/** A final fact that overtakes its own chunks stands for them. Where all of them come, each is waited for. */
function waiting(frames: readonly UiFrame[]): UiFrame[] {
  const known = new Set(frames.map(({ stream, sequence }) => `${stream} ${sequence}`))
  return frames.map(({ supersedes, ...frame }) =>
    supersedes && !known.has(`${frame.stream} ${supersedes.from}`) ? { ...frame, supersedes } : frame,
  )
}

/** Streams have no order among each other, so which of two sessions first told of a third one is left out. */
function facts(state: AgentUiState) {
  const { sessions, ...rest } = plainState(state)
  const apart = [...state.sessions.values()].map(
    ({ origin: _, opened: __, runIds, messageIds, ...session }) => {
      return { ...session, runIds: [...runIds], messageIds: [...messageIds] }
    },
  )
  return { ...rest, sessions: apart.sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1)) }
}

/** What is read and judged by: words, outcomes and the order of parts. */
const told = (state: AgentUiState) => {
  const { messages, tools, actions, tasks, agents, artifacts } = summarise(state)
  const words = messages
    .map(({ messageId, parts }) => [
      messageId,
      ...parts.map((part) => part.replace(/ (confirmed|corrected|replaced):/, ":")),
    ])
    .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1))
  return { words, tools, actions, tasks, agents, artifacts }
}

describe.each(traceNames())("%s", (name) => {
  const frames = readTrace(name).map(fromRuntime)
  const complete = waiting(frames)
  const whole = settle(fed([complete]))
  test.each(Object.keys(ways))("[UI-ORDER-9] %s it comes to the same", (way) => {
    for (let seed = 1; seed <= seedsFor(frames.length); seed++) {
      const state = settle(ways[way]?.(complete, randomOf(seed)) ?? emptyState())
      expect(facts(state), `seed ${seed}`).toEqual(facts(whole))
    }
  })
  test("[UI-LIFE-7] replaying what was recorded comes to the live state, also when finals overtake their chunks", () => {
    for (let seed = 1; seed <= seedsFor(frames.length); seed++) {
      const random = randomOf(seed)
      const live = settle(fed(chunked(near(frames, random), random)))
      expect(told(live).words, `seed ${seed}`).toEqual(told(whole).words)
    }
    expect(plainState(settle(fed([frames])))).toEqual(plainState(whole))
  })
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
