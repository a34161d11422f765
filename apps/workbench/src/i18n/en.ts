import type { StateWord } from "../client/status.ts"

const states: Record<StateWord, string> = {
  running: "Running",
  waiting: "Waiting",
  needsYou: "Needs you",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
  unknown: "Unknown",
  idle: "Idle",
  stale: "Stale",
  blocked: "Blocked",
  unavailable: "Unavailable",
}

/** Known causes in the page's words; a cause that is not here shows its own name. */
const causes: Readonly<Record<string, string>> = {
  provider_error: "The model provider failed",
  rate_limited: "The model provider asks to wait",
  cut_stream: "The model's answer was cut off",
  malformed: "The model's answer could not be read",
  interrupted: "Stopped",
  runtime_restart: "The host restarted while this ran",
  time_limit: "Out of time",
  write_failed: "The log could not be written",
}

const nextSteps: Readonly<Record<string, string>> = {
  provider_error: "Ask again. If it fails again, check the provider.",
  rate_limited: "Wait a moment, then ask again.",
  cut_stream: "Ask again.",
  malformed: "Ask again, or put it in other words.",
  runtime_restart: "What had arrived is kept. Ask again to go on.",
  time_limit: "Ask for less at once, then ask again.",
  write_failed: "Free space in the data folder, then ask again.",
}

/** Refusals that the page has its own words for. */
const problems: Readonly<Record<string, string>> = {
  unreachable: "The host did not answer, so it is not known whether this was done. Try again.",
  unavailable: "The host is closing, so this was not done. Try again when it is back.",
  too_large: "The message is too long: the limit is 1 MiB. Shorten it, or attach less.",
}

/** What the runtime says while it works, for the languages that have their own words for it. */
const runtimeSays: Readonly<Record<string, string>> = {}

const finishes: Readonly<Record<string, string>> = {
  length: "Cut at the model's length limit",
  content_filter: "Cut by the provider's content filter",
}

export const en = {
  states,
  causes,
  nextSteps,
  runtimeSays,
  finishes,
  units: { s: "s", min: "min" },
  sessions: "Sessions",
  allSessions: "All sessions",
  newSession: "New session",
  untitled: "Untitled session",
  conversation: "Conversation",
  you: "You",
  emptyTitle: "What should be done?",
  emptyBody: "Write it below. The session gets its own tab and address, and everything in it is kept.",
  demo: "A scripted demo model answers when no other model is configured.",
  tryThis: "Try:",
  examples: ["hello", "a long answer", "show an error"],
  quietBody: "Nothing has been said in this session yet.",
  keySend: "send",
  keyLine: "new line",
  keyStop: "stop",
  loading: "Reading the session",
  earlier: "Show earlier messages",
  textOutside: "The message is not in the loaded part of the log.",
  incomplete: "Some facts of this session are missing from the log. What is shown may have a hole.",
  starting: "Accepted, waiting to start",
  sending: "Sending",
  working: "Running",
  lastKnown: (state: string) => `Last known: ${state}`,
  notSent: "Not sent",
  retry: "Send again",
  edit: "Edit",
  discard: "Discard",
  again: "Ask again",
  reasoning: "Reasoning",
  toolCall: (tool: string) => `Proposed call: ${tool}`,
  partial: "Partial output",
  corrected: "Corrected by the model",
  tokens: (input: string, output: string) => `${input} in, ${output} out tokens`,
  fresh: (count: number) => `${count} new`,
  latest: "Latest",
  message: "Message",
  placeholder: "Write a message",
  placeholderQueue: "Write the next message",
  send: "Send",
  queue: "Queue",
  queued: (count: number) => `Queued · ${count}`,
  remove: "Remove",
  promote: "Run next",
  removeLabel: (text: string) => `Remove from the queue: ${text}`,
  promoteLabel: (text: string) => `Run next: ${text}`,
  stop: "Stop",
  lost: "No connection to the host. Trying again.",
  lostFor: (time: string) => `Lost ${time} ago`,
  lostHint: "If it was stopped, start it with npm start.",
  tryNow: "Try now",
  streamRefused: (status: number) => `The host refused the stream (${status}).`,
  readAgain: "Read again",
  dismiss: "Dismiss",
  close: "Close",
  unreadableTitle: "This session cannot be read",
  problems,
  theme: "Theme",
  themes: { system: "System", light: "Light", dark: "Dark" },
  /** The letters stay readable where no font has the characters. */
  language: "中文 / ZH",
  languageCode: "ZH",
  noTokenTitle: "Open the address that npm start prints",
  noTokenBody:
    "This page needs the access token of the host. Run npm start in the project, then open the whole address it prints, including the part after #.",
  refusedTitle: "The host refused this access token",
}

export type Words = typeof en
