import { presentText } from "@factum/facts"
import type { FactLog, StoredFact } from "./ports/log.ts"

/** The log as everybody reads it: facts in the present version of their class, whenever they were written. */
export function presentLog(log: FactLog): FactLog {
  return {
    append: (batch) => log.append(batch),
    head: (stream) => log.head(stream),
    read: (stream, after, limit) => present(log.read(stream, after, limit)),
    readBefore: (stream, before, limit) => present(log.readBefore(stream, before, limit)),
    tail: (stream, after, signal) => presentPages(log.tail(stream, after, signal)),
    readAll: (after, limit) => present(log.readAll(after, limit)),
    tailAll: (after, signal) => presentPages(log.tailAll(after, signal)),
    claimed: (key) => log.claimed(key),
    owing: () => log.owing(),
    saveState: (state) => log.saveState(state),
    loadState: (stream) => log.loadState(stream),
    streams: (options) => log.streams(options),
    prune: (before) => log.prune(before),
    get incidents() {
      return log.incidents
    },
    close: () => log.close(),
  }
}

async function* presentPages<F extends StoredFact>(pages: AsyncIterable<F[]>): AsyncGenerator<F[]> {
  for await (const page of pages) yield present(page)
}

const present = <F extends StoredFact>(facts: F[]): F[] =>
  facts.map((fact) => {
    const text = presentText(fact.text)
    return text === fact.text ? fact : { ...fact, text }
  })
