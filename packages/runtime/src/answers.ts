import type { Refusal } from "@factum/facts"
import type { Command } from "./commands.ts"
import { commandKey, type Decision, reject } from "./decision.ts"
import type { Claim, NotAppended } from "./ports/log.ts"
import type { Outcome } from "./runtime.ts"

/** What a decision says to the outside, where a field is named by its path in the body. */
export function answer(decision: Decision): Outcome {
  if (decision.ok) return { ok: true, result: decision.result }
  const { field, ...refusal } = decision.refusal
  return { ok: false, refusal: field === undefined ? refusal : { ...refusal, field: `input.${field}` } }
}

/** Keeps the answer for whoever sends the same command again. */
export function claimOf({ command_id, digest }: Command, { ok, ...answered }: Outcome): Claim[] {
  return command_id === undefined
    ? []
    : [{ key: commandKey(command_id), value: JSON.stringify({ digest, ...answered }) }]
}

export function firstAnswer(text: string, digest: string): Outcome {
  const first = JSON.parse(text) as { digest: string; result?: unknown; refusal?: Refusal }
  if (first.digest !== digest) return usedOtherwise()
  const { refusal, result } = first
  return refusal === undefined ? { ok: true, result } : { ok: false, refusal }
}

export function usedOtherwise(): Outcome {
  const fix = "Use a new command_id for a new command."
  return reject("conflict", "This command_id was used for another input.", { field: "command_id", fix })
}

export function notWritten(done: NotAppended): Outcome {
  if (done.code === "unknown") {
    return reject("write_failed", `Whether this was written is not known: ${done.reason}.`, {
      fix: "Start the host again, look at what the log has, and send it under the same command_id.",
    })
  }
  return reject("write_failed", `Nothing was written: ${reasonOf(done)}.`, {
    fix: "Free space in the data directory if it is full, then send the command again.",
  })
}

export const reasonOf = (done: NotAppended): string =>
  "reason" in done ? done.reason : `the store answered ${done.code}`
