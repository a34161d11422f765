import type { ModelRequest } from "@factum/facts"
import type { Ending } from "../control/loop.ts"

/** Why an answer is not what the model meant to say: it came to its limit, or the provider holds the rest back. */
export type Cut = "length" | "content_filter"

export const cutOf = ({ finish }: Pick<ModelRequest, "finish">): Cut | undefined =>
  finish === "length" || finish === "content_filter" ? finish : undefined

/** What was said stays as it is. Nothing is done on the strength of half an answer, so the turn is not done either. */
export function cutEnding(cut: Cut, calls: number): Ending {
  const undone = calls === 0 ? "" : " Of the calls that it asked for, none was executed."
  if (cut === "content_filter") {
    const reason = `The provider's content filter withheld the answer, or the rest of it.${undone}`
    return { status: "failed", category: cut, reason, next: "Ask in other words, or choose another model." }
  }
  const reason = `The model came to the limit of its output before its answer was complete.${undone}`
  const next =
    calls === 0
      ? "Ask it to go on, or raise output_tokens of the model."
      : "Ask for less at once, or raise output_tokens of the model."
  return { status: "failed", category: "output_limit", reason, next }
}

export const notExecuted = "Not executed: the answer that asked for it was cut off."
