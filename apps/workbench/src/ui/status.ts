/** The one language of state: a shape and a word, the same on every surface; here as text, for a title. */
export const glyphs = {
  running: "●",
  waiting: "◐",
  needsYou: "▲",
  done: "✓",
  failed: "✕",
  cancelled: "⊘",
  unknown: "?",
  idle: "○",
  stale: "⌛",
  blocked: "▣",
  unavailable: "⌀",
} as const
export type StateWord = keyof typeof glyphs

const words: Readonly<Record<string, StateWord>> = {
  active: "running",
  preparing: "running",
  running: "running",
  streaming: "running",
  sending: "waiting",
  accepted: "waiting",
  queued: "waiting",
  retrying: "waiting",
  waiting: "waiting",
  waiting_resource: "waiting",
  paused: "waiting",
  waiting_input: "needsYou",
  waiting_permission: "needsYou",
  completed: "done",
  unsent: "failed",
  failed: "failed",
  timed_out: "failed",
  cancelled: "cancelled",
  idle: "idle",
  archived: "idle",
  stale: "stale",
  blocked: "blocked",
  unavailable: "unavailable",
}

/** What the runtime calls its state, in the language of the page. A name that is not known stays unknown. */
export const stateWord = (state: string): StateWord => words[state] ?? "unknown"
