import type { Verdict } from "@factum/facts"

/** From the strictest on. plan: look, touch nothing. ask: everything but looking is asked. accept_edits: files in the workspace are free. */
export const modes = ["plan", "ask", "accept_edits", "full"] as const
export type Mode = (typeof modes)[number]

/** From the strongest speaker to the weakest; all of them are heard, and the strictest verdict wins. */
export const layers = ["host", "user", "project", "agent", "session"] as const
export type Layer = (typeof layers)[number]

/**
 * `tool` is a name or a pattern (`*`). `match` narrows it: for commands `git push *`, for paths a glob relative to the
 * workspace or absolute, for network a domain (`*.example.org`).
 */
export type Rule = {
  effect: Verdict
  layer: Layer
  tool: string
  match?: string
  /** The same glob through the links of its folder; found by `realRules`, never written by a person. */
  real?: readonly string[]
  /** Why it is there, for the person who reads the explanation. */
  note?: string
}

export type Policy = {
  /** Changes with every change of rules or mode. */
  version: string
  mode: Mode
  rules: readonly Rule[]
}
