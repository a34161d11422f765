import type { Agent } from "../agent.ts"
import { isSame, type Offer } from "../routing/index.ts"
import { type Room, roomOf } from "./window.ts"

/** The model that sums up is the one that would answer, or the first that can be asked. */
export function summarizerOf(offers: readonly Offer[], agent: Agent): Offer | undefined {
  const usable = offers.filter(({ via, unavailable }) => via !== undefined && unavailable === undefined)
  return usable.find((offer) => agent.model !== undefined && isSame(offer, agent.model)) ?? usable[0]
}

export function roomFor(offers: readonly Offer[], agent: Agent): { room: Room; known: boolean } {
  const window = summarizerOf(offers, agent)?.context_window
  const size = typeof window === "number" ? window : undefined
  return { room: roomOf(agent.window ?? {}, size), known: (agent.window?.tokens ?? size) !== undefined }
}
