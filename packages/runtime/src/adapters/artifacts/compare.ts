import { createTwoFilesPatch } from "diff"
import { textOf } from "../../outputs/text.ts"

/** More lines changed than this are no diff that anyone reads, and would take long to find. */
const mostEdits = 4_000
const longestText = 4_194_304

export type Compared =
  | { ok: true; text: string; added: number; removed: number }
  | { ok: false; reason: "not_text" | "too_different" }

/** A unified diff of two versions of a text. */
export function compare(
  { name, from, to }: { name: string; from: string; to: string },
  before: Uint8Array,
  after: Uint8Array,
): Compared {
  const [old, next] = [textOf(before), textOf(after)]
  if (old === undefined || next === undefined) return { ok: false, reason: "not_text" }
  if (old.length + next.length > longestText) return { ok: false, reason: "too_different" }
  const file = name.replaceAll(/[\r\n\t]/g, " ")
  const options = { context: 3, maxEditLength: mostEdits }
  const text = createTwoFilesPatch(file, file, old, next, `version ${from}`, `version ${to}`, options)
  if (text === undefined) return { ok: false, reason: "too_different" }
  const lines = text.split("\n").slice(4)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return { ok: true, text, added: count("+"), removed: count("-") }
}
