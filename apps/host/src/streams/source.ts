import type { FactLog, PlacedFact } from "@factum/runtime"

/** Facts in an order, from any cursor on: of one session by sequence, or of all by position. */
export type Source = {
  key: string
  at(fact: PlacedFact): number
  head(): number
  read(after: number, limit: number): readonly PlacedFact[]
  tail(after: number, signal: AbortSignal): AsyncIterable<readonly PlacedFact[]>
}

type SessionLog = Pick<FactLog, "head" | "read" | "tail">
type WholeLog = Pick<FactLog, "streams" | "readAll" | "tailAll">

export function sessionSource(log: SessionLog, stream: string): Source {
  const placed = (fact: { sequence: number; position: number; text: string }) => ({ ...fact, stream })
  return {
    key: `session ${stream}`,
    at: ({ sequence }) => sequence,
    head: () => log.head(stream),
    read: (after, limit) => log.read(stream, after, limit).map(placed),
    async *tail(after, signal) {
      for await (const page of log.tail(stream, after, signal)) yield page.map(placed)
    },
  }
}

export function everySource(log: WholeLog): Source {
  return {
    key: "every",
    at: ({ position }) => position,
    head: () => log.streams({ limit: 1 })[0]?.position ?? 0,
    read: (after, limit) => log.readAll(after, limit),
    tail: (after, signal) => log.tailAll(after, signal),
  }
}
