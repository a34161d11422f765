import type { HistoryEntry, ToldTurn } from "./history.ts"
import { decisionPoint } from "./record.ts"
import { turnText } from "./turn.ts"

export const instruction = `Based on all turns above, decide the next step.
Strictly follow the Agent Protocol output requirements for this request.`

/**
 * The one request format: the turns, then what holds for this request alone. Each run is told by its calls and their
 * results; `buildContext` also replays declarations and leaves out noise.
 */
export function renderTranscript(history: readonly HistoryEntry[], closing = ""): string {
  const from = boundaryOf(history)
  const turns = history.flatMap((source, entry): ToldTurn[] =>
    entry >= from && isTold(source) ? [{ entry, source, telling: "calls", hidden: [] }] : [],
  )
  return joinTranscript(renderTurns(withContinued(turns)), closing)
}

/** Marks the turns of runs that went on. What the run alone answered, without actions, tells nothing of its state. */
export function withContinued(turns: readonly ToldTurn[]): readonly ToldTurn[] {
  const before = new Set<string>()
  return turns.map((turn) => {
    if (turn.source.kind !== "run" || turn.source.run.graph.actions.length === 0) return turn
    const { run_id } = turn.source.run
    const continues = before.has(run_id)
    before.add(run_id)
    return continues ? { ...turn, continues } : turn
  })
}

/** The entry at which the telling begins: the newest boundary, or the first one. */
export const boundaryOf = (history: readonly HistoryEntry[]): number =>
  Math.max(
    0,
    history.findLastIndex(({ kind }) => kind === "boundary"),
  )

/** A run in progress is for logs and people; the model is told where there is something to decide. */
export const isTold = (entry: HistoryEntry): boolean =>
  entry.kind !== "run" || decisionPoint(entry.run) !== undefined

/** Each turn's text depends on nothing after it, so a longer history begins with the bytes of a shorter one. */
export const renderTurns = (turns: readonly ToldTurn[]): readonly string[] =>
  turns.map((turn, at) => `<turn index="${at + 1}">\n${turnText(turn)}\n</turn>\n\n`)

export const joinTranscript = (turns: readonly string[], closing: string): string =>
  `${turns.join("")}${closing === "" ? "" : `${closing}\n\n`}${instruction}`
