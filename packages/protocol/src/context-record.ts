import { declarationRef } from "./call.ts"
import { withinBudget } from "./context-room.ts"
import type { HistoryEntry, Telling, TellingReason, ToldTurn } from "./history.ts"
import type { Tokenizer } from "./observation.ts"
import { type ToldAction, toldActions } from "./record.ts"
import { type ReplayMode, type ReplayOptions, replay, replayDefaults } from "./replay.ts"
import { boundaryOf, joinTranscript, renderTurns } from "./transcript.ts"
import { contentOf, earlierFailures, turnText } from "./turn.ts"

export type Exclusion = {
  entry: number
  what: "turn" | "declaration" | "action" | "content" | "output" | "attempts" | "reasoning"
  reason:
    | TellingReason
    | "budget"
    | "in_progress"
    | "policy"
    | "withheld"
    | "failed_before"
    | "private"
    | "compacted"
  run_id?: string
  action_id?: string
  /** Where what was left out can be read. */
  ref?: string
  tokens: number
}

export type ContextRecord = {
  mode: ReplayMode
  epoch: number
  included: readonly {
    entry: number
    turn: number
    kind: HistoryEntry["kind"]
    run_id?: string
    telling: Telling
    tokens: number
  }[]
  excluded: readonly Exclusion[]
  closing_tokens: number
  /** The sum of what is included and the closing. Each part is counted by itself. */
  tokens: number
  excluded_tokens: number
}

export type ContextRequest = {
  history: readonly HistoryEntry[]
  closing?: string
  replay?: ReplayOptions
  /** Tokens that the results of all turns together may take. */
  budget?: number
  tokenizer: Pick<Tokenizer, "count">
}

/** The request that a model is sent, and the account of what is in it and what is not. The history stays as it is. */
export function buildContext(request: ContextRequest): { text: string; record: ContextRecord } {
  const { history, closing = "", tokenizer } = request
  const epoch = request.replay?.epoch ?? replayDefaults.epoch
  const replayed = replay(history, request.replay)
  const turns =
    request.budget === undefined
      ? replayed
      : withinBudget(replayed, { budget: request.budget, epoch, tokenizer })
  const texts = renderTurns(turns)
  const included = turns.map((turn, at) => ({
    entry: turn.entry,
    turn: at + 1,
    kind: turn.source.kind,
    ...(turn.source.kind === "run" && { run_id: turn.source.run.run_id }),
    telling: turn.telling,
    tokens: tokenizer.count(texts[at] ?? ""),
  }))
  const excluded = exclusions(history, turns, tokenizer)
  const closing_tokens = tokenizer.count(joinTranscript([], closing))
  return {
    text: joinTranscript(texts, closing),
    record: {
      mode: request.replay?.mode ?? replayDefaults.mode,
      epoch,
      included,
      excluded,
      closing_tokens,
      tokens: sum(included) + closing_tokens,
      excluded_tokens: sum(excluded),
    },
  }
}

type RunEntry = Extract<HistoryEntry, { kind: "run" }>

const sum = (parts: readonly { tokens: number }[]): number =>
  parts.reduce((total, { tokens }) => total + tokens, 0)

function exclusions(
  history: readonly HistoryEntry[],
  turns: readonly ToldTurn[],
  tokenizer: Pick<Tokenizer, "count">,
): readonly Exclusion[] {
  const count = (text: string): number => tokenizer.count(text)
  const byEntry = new Map(turns.map((turn) => [turn.entry, turn]))
  const from = boundaryOf(history)
  return history.flatMap((source, entry): Exclusion[] => {
    const turn = byEntry.get(entry)
    const left: Exclusion[] = []
    if ("reasoning" in source && source.reasoning !== undefined)
      left.push({ entry, what: "reasoning", reason: "private", tokens: count(source.reasoning) })
    if (entry < from)
      return [...left, { entry, what: "turn", reason: "compacted", tokens: count(fullText(source)) }]
    if (source.kind === "refused" && turn?.why !== undefined)
      left.push({ entry, what: "turn", reason: turn.why, tokens: count(fullText(source)) })
    if (source.kind === "run") left.push(...ofRun(source, entry, turn))
    return left
  })

  function ofRun(source: RunEntry, entry: number, turn: ToldTurn | undefined): Exclusion[] {
    const { run } = source
    const base = { entry, run_id: run.run_id }
    if (turn === undefined)
      return [{ ...base, what: "turn", reason: "in_progress", tokens: count(fullText(source)) }]
    const left: Exclusion[] = []
    if (turn.why !== undefined)
      left.push({
        ...base,
        what: "declaration",
        reason: turn.why,
        ref: declarationRef(run),
        tokens: count(run.declaration.source),
      })
    const hidden = new Set(turn.hidden)
    for (const told of toldActions(run)) {
      const found = hidden.has(told.id) ? hiddenAction(told, turn) : ofAction(told, turn)
      left.push(...found.map((part) => ({ ...base, action_id: told.id, ...part })))
    }
    return left
  }

  type Part = Pick<Exclusion, "what" | "reason" | "tokens" | "ref">

  function hiddenAction(told: ToldAction, turn: ToldTurn): Part[] {
    const tokens = count(contentOf(told, "calls"))
    return [{ what: "action", reason: turn.why ?? "superseded", ...refOf(told), tokens }]
  }

  function ofAction(told: ToldAction, turn: ToldTurn): Part[] {
    const { observation } = told
    const left: Part[] = []
    const content = contentOf(told, "calls")
    const shortened = turn.shortened?.get(told.id)
    if (shortened !== undefined)
      left.push({ what: "content", reason: "budget", ...refOf(told), tokens: count(content) })
    else if (turn.why !== undefined && content !== contentOf(told, turn.telling))
      left.push({ what: "content", reason: turn.why, ...refOf(told), tokens: count(content) })
    if (observation?.omitted !== undefined)
      left.push({ what: "output", reason: "policy", ...refOf(told), tokens: observation.omitted.tokens })
    if (observation?.withheld !== undefined) left.push({ what: "output", reason: "withheld", tokens: 0 })
    if (earlierFailures(told).length > 0)
      left.push({ what: "attempts", reason: "failed_before", tokens: count(failureText(told)) })
    return left
  }
}

const fullText = (source: HistoryEntry): string =>
  turnText({ entry: 0, source, telling: "calls", hidden: [] })

const refOf = ({ observation }: ToldAction): { ref?: string } => {
  const ref = observation?.refs[0]
  return ref === undefined ? {} : { ref }
}

const failureText = ({ state }: ToldAction): string =>
  (state?.attempts.slice(0, -1) ?? [])
    .flatMap(({ outcome }) =>
      outcome?.status === "failed" ? [`${outcome.reason.message}\n${outcome.output ?? ""}`] : [],
    )
    .join("\n")
