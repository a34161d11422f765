import { expect, onTestFinished } from "vitest"
import type { Append, BlobStore, FactLog, NewFact, StoredFact } from "../log.ts"

export type StoreUnderTest = {
  log: FactLog
  blobs: BlobStore
  /** Closes the store and opens it again, as after a restart. */
  reopen(): Promise<StoreUnderTest>
  /** Changes bytes behind the back of the store. */
  damageState(stream: string): void
  damageBlob(digest: string): void
  /** Closes the store if need be and removes all of it. */
  dispose(): Promise<void>
}

/** A new and empty store. */
export type OpenStore = () => Promise<StoreUnderTest>

export async function given(open: OpenStore): Promise<StoreUnderTest> {
  const store = await open()
  onTestFinished(() => store.dispose())
  return store
}

export function fact(event_id: string, more: Partial<NewFact> = {}): NewFact {
  return { event_id, text: JSON.stringify({ event_id }), ...more }
}

/** `count` facts of a stream after `expected`, named after their place. */
export function batch(stream: string, expected: number, count = 1, more: Partial<NewFact> = {}): Append {
  const facts = Array.from({ length: count }, (_, i) => fact(`${stream}-${expected + 1 + i}`, more))
  return { stream, expected, facts }
}

export async function appended(log: FactLog, append: Append) {
  const outcome = await log.append(append)
  expect(outcome).toMatchObject({ ok: true })
  return outcome
}

export const sequences = (facts: readonly StoredFact[]) => facts.map(({ sequence }) => sequence)

/** from, from + 1, … to */
export const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)

export function readAll(log: FactLog, stream: string, page = 500): StoredFact[] {
  const all: StoredFact[] = []
  for (;;) {
    const facts = log.read(stream, all.at(-1)?.sequence ?? 0, page)
    if (facts.length === 0) return all
    all.push(...facts)
  }
}

/** What a tail gives until it reaches `last`; `between` runs after each page, as a slow reader would. */
export async function follow(
  log: FactLog,
  stream: string,
  after: number,
  last: number,
  between: () => Promise<void> | void = () => {},
): Promise<StoredFact[]> {
  const stop = new AbortController()
  const seen: StoredFact[] = []
  if (after >= last) return seen
  for await (const page of log.tail(stream, after, stop.signal)) {
    seen.push(...page)
    if ((page.at(-1)?.sequence ?? 0) >= last) stop.abort()
    else await between()
  }
  return seen
}
