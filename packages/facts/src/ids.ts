import { z } from "zod"

/** Every kind of identity, by its prefix. Ids are opaque to readers; the prefix is for people. */
export const idPrefixes = {
  runtime: "rtm",
  session: "ses",
  thread: "thr",
  turn: "trn",
  task: "tsk",
  run: "run",
  step: "stp",
  tool_call: "tcl",
  action: "act",
  subagent: "sub",
  artifact: "art",
  evidence: "evd",
  event: "evt",
  job: "job",
  channel: "chn",
  process: "prc",
  request: "req",
  queued: "qtn",
  evaluation: "evl",
  routing: "rou",
  compaction: "cmp",
  rollback: "rbk",
  hook_run: "hrn",
} as const

export type IdKind = keyof typeof idPrefixes

/**
 * Foreign ids are kept as they come, so only length and printable characters are demanded. Records are looked
 * up by id, hence no id is a name that every object has, nor a number, which objects put out of order.
 */
export const idPattern =
  /^(?!(?:constructor|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|toLocaleString|toString|valueOf|\d+)$)[A-Za-z0-9][\w.:@-]{0,127}$/
export const Id = z
  .string()
  .regex(idPattern, "an id has 1 to 128 letters, digits or _ . : @ - and is no plain number")

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A sortable id: 10 characters of time, 16 of randomness. */
export function formatId(kind: IdKind, milliseconds: number, random: Uint8Array): string {
  let time = ""
  for (let rest = milliseconds, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time
  }
  let tail = ""
  for (let i = 0; i < 16; i++) tail += alphabet.charAt((random[i] ?? 0) % 32)
  return `${idPrefixes[kind]}_${time}${tail}`
}
