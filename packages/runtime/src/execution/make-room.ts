import { turnEnded } from "@factum/facts"
import type { Agent } from "../agent.ts"
import { type By, beginCompaction, type CompactPorts, finishCompaction } from "../context/compact.ts"
import { roomFor, summarizerOf } from "../context/summarizer.ts"
import { tokensOf } from "../context/window.ts"
import type { Transcript } from "./transcript.ts"

/** Whether what is to be sent would leave too little of the window for an answer. Without a known window, never. */
export function isCrowded(told: Transcript, agent: Agent, offers: CompactPorts["offers"]): boolean {
  const { room, known } = roomFor(offers, agent)
  return known && tokensOf([told.messages, told.system, told.tools]) > room.limit
}

export type Made = "made" | "none" | "busy" | { unwritten: string }

/** Sums up what came before in the turn's thread: by a model, and when that fails without one, so that it always ends. */
export async function makeRoom(
  ports: CompactPorts,
  place: { session_id: string; thread_id: string; turn_id: string },
  told: Transcript,
  agent: Agent,
  signal: AbortSignal,
): Promise<Made> {
  const { session_id, thread_id, turn_id } = place
  const { room } = roomFor(ports.offers, agent)
  const offer = summarizerOf(ports.offers, agent)
  const free = room.limit - tokensOf([told.system, told.tools]) - room.summary - room.carried
  const keep = Math.max(0, Math.min(room.keep, Math.floor(free / 2)))
  const ways: By[] = [
    ...(offer === undefined ? [] : [{ kind: "model" as const, offer }]),
    { kind: "extract" },
  ]
  const cause = `The conversation takes more than ${room.limit} of the window's ${room.window} tokens.`
  for (const by of ways) {
    const begun = await ports.cells.inLine(session_id, (cell) => {
      const turn = cell.state.entities.turns[turn_id]
      if (turn === undefined || turnEnded(turn)) return { kind: "nothing" as const }
      return beginCompaction(ports, cell, thread_id, { cause, keep, settled: true })
    })
    if (begun.kind === "unwritten") return { unwritten: begun.reason }
    if (begun.kind === "busy") return "busy"
    if (begun.kind === "nothing") return "none"
    const done = await finishCompaction(ports, { session_id, turn_id }, begun.work, by, room, signal)
    if (done.ok) return "made"
    if (signal.aborted) return "none"
  }
  return "none"
}
