import type { FieldProblem } from "../client/answer-form.ts"
import type { StateWord } from "../ui/status.ts"

const states: Record<StateWord, string> = {
  running: "Running",
  waiting: "Waiting",
  needsYou: "Waiting for you",
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
  already_resolved: "Your answer was not taken: this had been settled before.",
  action_expired: "Your answer was not taken: the time for it is over.",
}

/** What the runtime says while it works, for the languages that have their own words for it. */
const runtimeSays: Readonly<Record<string, string>> = {}
/** The same for what has a name in it. */
const runtimePhrases: readonly (readonly [RegExp, string])[] = []

/** Why a call ended without a result. */
const failures: Readonly<Record<string, string>> = {
  invalid_args: "The input does not fit",
  unknown_tool: "No such tool",
  permission_denied: "Not allowed",
  sandbox_violation: "Stopped by the sandbox",
  hook_blocked: "Blocked by a hook",
  tool_error: "The tool failed",
  time_limit: "Out of time",
  interrupted: "Stopped",
  runtime_restart: "The host restarted while this ran",
  outcome_unknown: "Outcome unknown",
}

function fieldProblem(problem: FieldProblem): string {
  switch (problem.kind) {
    case "required":
      return "This is needed."
    case "number":
      return "Give a number."
    case "integer":
      return "Give a whole number."
    case "object":
      return "This is not a JSON object."
    case "least":
      return `Give ${problem.limit} or more.`
    case "most":
      return `Give ${problem.limit} or less.`
    case "shortest":
      return `Give ${problem.limit} characters or more.`
    case "longest":
      return `Give ${problem.limit} characters or fewer.`
  }
}

const finishes: Readonly<Record<string, string>> = {
  length: "Cut at the model's length limit",
  content_filter: "Cut by the provider's content filter",
}

export const en = {
  states,
  causes,
  nextSteps,
  runtimeSays,
  runtimePhrases,
  finishes,
  failures,
  fieldProblem,
  units: { s: "s", min: "min" },
  palette: "Commands",
  paletteHint: "Search commands, sessions and surfaces",
  paletteNone: "Nothing has these letters.",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "Not copied",
  ago: (seconds: number) =>
    seconds < 5
      ? "now"
      : seconds < 60
        ? `${seconds} s ago`
        : seconds < 3600
          ? `${Math.floor(seconds / 60)} min ago`
          : seconds < 86_400
            ? `${Math.floor(seconds / 3600)} h ago`
            : `${Math.floor(seconds / 86_400)} d ago`,
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
  examples: ["hello", "use a tool", "a long answer"],
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
  input: "Input",
  output: "Output",
  partShown: "only a part is shown",
  partShownOf: (size: string) => `only a part of ${size} is shown`,
  nothing: "Nothing",
  notYet: "Nothing yet",
  waitingForYou: (count: number) =>
    count === 1 ? "Waiting for you" : `Waiting for you · ${count} questions`,
  asks: (who: string) => `Asked by ${who}`,
  requesters: {
    agent: "agent",
    subagent: "subagent",
    teammate: "teammate",
    tool: "tool",
    policy: "policy",
    host: "host",
    channel: "channel",
  },
  tool: (name: string) => `Tool ${name}`,
  risks: { low: "Low risk", medium: "Medium risk", high: "High risk", unknown: "Risk unknown" },
  since: (time: string) => `since ${time}`,
  until: (time: string) => `Answer by ${time}`,
  waitsFor: { human: "Waits for a person.", policy: "Waits for the policy.", host: "Waits for the host." },
  askedFor: "What is asked for",
  note: "Note (optional)",
  optional: "optional",
  choose: "Choose",
  truth: { yes: "Yes", no: "No" },
  answerJson: "Answer, as a JSON object",
  answerSchema: "What it must look like (JSON Schema)",
  answerSending: "Sending",
  answerSent: "Sent, waiting for the log",
  deciders: { human: "a person", policy: "the policy", host: "the host", runtime: "the runtime" },
  unanswered: { cancelled: "Withdrawn", expired: "Not answered in time" },
  askedOutside: "A question before the loaded part of the log",
  outside: "This was asked before the loaded part of the log. Read further back to answer it.",
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
