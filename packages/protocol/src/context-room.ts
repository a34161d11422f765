import { type ContextPart, fitContext } from "./context-budget.ts"
import type { Shortened, ToldTurn } from "./history.ts"
import type { Tokenizer } from "./observation.ts"
import { type ToldAction, toldActions } from "./record.ts"
import { contentOf } from "./turn.ts"

type Room = { budget: number; epoch: number; tokenizer: Pick<Tokenizer, "count"> }

/**
 * Keeps what all results of a request say within one budget; what has no room falls back to its summary, then to its
 * reference. What stands before the epoch may take half of the budget, shared by all of it. After it each turn has a
 * small share of its own and may take half of what is left beside these: so every turn finds room, and none changes
 * what an earlier one was given.
 */
export function withinBudget(turns: readonly ToldTurn[], room: Room): readonly ToldTurn[] {
  const { budget, epoch, tokenizer } = room
  const old = turns.filter(({ entry }) => entry < epoch)
  const settled = fit(old, Math.floor(budget / 2), tokenizer)
  let left = budget - settled.tokens
  const share = Math.floor(left / (4 * sureTurns))
  let sure = sureTurns
  left -= share * sure
  const recent = turns.slice(old.length).flatMap((turn) => {
    if (resultsOf(turn).length === 0) return [turn]
    const own = sure-- > 0 ? share : 0
    const fitted = fit([turn], own + Math.floor(left / 2), tokenizer)
    left -= fitted.tokens - own
    return fitted.turns
  })
  return [...settled.turns, ...recent]
}

/** How many turns after the epoch are sure of a share, which together is a quarter of what they have. */
const sureTurns = 16

type Fitted = { turns: readonly ToldTurn[]; tokens: number }

function fit(turns: readonly ToldTurn[], budget: number, tokenizer: Room["tokenizer"]): Fitted {
  const parts = turns.flatMap((turn, at) => resultsOf(turn).map((told) => ({ at, told })))
  const fitted = fitContext(
    parts.map(({ at, told }) => partOf(told, turns[at])),
    budget,
    tokenizer,
  )
  const shortened = turns.map(() => new Map<string, Shortened>())
  for (const [index, { at, told }] of parts.entries()) {
    const form = fitted.parts[index]?.form ?? "left_out"
    if (form !== "text") shortened[at]?.set(told.id, form === "summary" ? "summary" : "reference")
  }
  const now = turns.map((turn, at): ToldTurn => {
    const less = shortened[at]
    return less === undefined || less.size === 0 ? turn : { ...turn, shortened: less }
  })
  return { turns: now, tokens: fitted.tokens }
}

/** The results of a turn that say anything. */
function resultsOf({ source, telling, hidden }: ToldTurn): readonly ToldAction[] {
  if (source.kind !== "run" || telling === "line") return []
  const left = new Set(hidden)
  return toldActions(source.run).filter((told) => !left.has(told.id) && contentOf(told, telling) !== "")
}

/** A failure is told before a success. The reference stands beside the content in any case. */
function partOf(told: ToldAction, turn: ToldTurn | undefined): ContextPart {
  return {
    id: told.id,
    priority: told.status === "completed" ? 0 : 1,
    text: contentOf(told, turn?.telling ?? "calls"),
    summary: told.observation?.summary ?? "",
    refs: [],
  }
}
