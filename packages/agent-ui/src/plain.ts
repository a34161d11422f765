import { emptyState } from "./empty.ts"
import type { AgentUiState, Entities, Entity } from "./state.ts"
import { emptyTable } from "./table.ts"
import { readText, type TextBlocks } from "./text.ts"

/** Tables of what is no entity. */
const others = ["streams", "seen", "synced", "clientIds"]
export const entityTables = Object.entries(emptyState()).flatMap(([name, value]) =>
  value === emptyTable() && !others.includes(name) ? [name] : [],
) as readonly (keyof Entities)[]

export type PlainState = Readonly<Record<string, unknown>>

/**
 * The facts as plain data, the same for the same facts however they came: no local state, nothing that was worth
 * knowing only while a run was active, no trace of how this client received it.
 */
export function plainState(state: AgentUiState): PlainState {
  const plain: Record<string, unknown> = {}
  for (const name of entityTables) {
    const rows: [string, unknown][] = []
    for (const [id, entity] of state[name].entries()) if (isLasting(entity)) rows.push([id, flat(entity)])
    plain[name] = rows.sort(([one], [other]) => (one < other ? -1 : 1))
  }
  plain.synced = [...state.synced.values()].map(flat)
  plain.diagnostics = [...state.diagnostics].filter(isLasting).map(flat)
  plain.streams = [...state.streams.values()]
    .map(({ stream, applied, gap }) => ({ stream, applied, ...(gap ? { gap } : {}) }))
    .sort((one, other) => (one.stream < other.stream ? -1 : 1))
  return plain
}

const isLasting = ({ origin }: Entity) => origin.persistence !== "ephemeral_live"

function flat(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(flat)
  if (isText(value)) return readText(value)
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(flat)
  const entries = Object.entries(value).filter(([name, one]) => !mine.has(name) && one !== undefined)
  return Object.fromEntries(entries.map(([name, one]) => [name, flat(one)]))
}

/** How this client keeps things, which says nothing about them. */
const mine = new Set(["opened", "ephemeral", "told", "resolvedIn"])

const isText = (value: object): value is TextBlocks => "blocks" in value && Array.isArray(value.blocks)
