import type { AnswerProblem } from "./answer-schema.ts"
import { markAnswering, markUnanswered } from "./answering.ts"
import type { InputPartView } from "./events/index.ts"
import { showSent, showSteer, withdrawSent, withdrawSteer } from "./optimistic.ts"
import type { OwnerPorts, PortAnswer, PortName, Target } from "./ports.ts"
import { type Routed, route } from "./route.ts"
import type { AgentUiState } from "./state.ts"
import type { Control } from "./taxonomy.ts"

type Given = { inputs: readonly InputPartView[]; clientId: string }
type Answering = { actionId: string; note?: string }

/** What a person wants, one shape for each control. Changing a draft is none of them: it leaves nobody's screen. */
export type Intent =
  | ({ control: "send"; sessionId?: string; threadId?: string; mode?: string; model?: string } & Given)
  | ({ control: "queue"; sessionId: string; threadId?: string; mode?: string; model?: string } & Given)
  | ({ control: "steer"; sessionId: string; threadId?: string; runId: string } & Given)
  | { control: "interrupt"; sessionId: string; threadId?: string; runId?: string; reason?: string }
  | {
      control: "delegate"
      runId: string
      agent: string
      objective: string
      inputs?: readonly InputPartView[]
    }
  | { control: "assign"; workItemId: string; assignee: string }
  | { control: "continue_agent"; agentId: string; inputs: readonly InputPartView[] }
  | { control: "wait"; agentIds: readonly string[]; timeLimitMs?: number }
  | { control: "stop"; target: Target; reason?: string }
  | { control: "close"; agentId: string; reason?: string }
  | { control: "request_review"; target: Target; reviewer?: string; note?: string }
  | ({ control: "approve" | "reject"; option?: string } & Answering)
  | ({
      control: "answer"
      data?: Readonly<Record<string, unknown>>
      secret?: string
      option?: string
    } & Answering)
  | { control: "edit"; artifactId: string; body: string; versionId?: string }
  | ({ control: "edit"; data: Readonly<Record<string, unknown>> } & Answering)
  | { control: "retry"; target: Target; reason?: string; clientId?: string }
  | { control: "rollback"; artifactId: string; versionId: string }
  | { control: "rollback"; sessionId: string; messageId: string }
  | { control: "export"; artifactId: string; versionId?: string; format?: string }
  | { control: "export"; sessionId: string; threadId?: string; kind: "evidence" | "replay" | "review" }
  | { control: "open_detail"; target: Target; before?: string }

/** Why nothing was sent, or what the owner answered instead. */
export type IntentRefusal = {
  status: "refused"
  code: "no_port" | "no_target" | "not_open" | "not_offered" | "invalid_answer" | "in_flight" | (string & {})
  message?: string
  problems?: readonly AnswerProblem[]
}
export type IntentResult = { status: "sent"; value?: unknown } | IntentRefusal

/** What the client may show of its own doing before the owner's event: the person's text, and that an answer is on its way. */
export type IntentNote =
  | ({
      kind: "submitted"
      control: "send" | "queue" | "steer"
      sessionId?: string
      threadId?: string
      /** The run that is steered. */
      runId?: string
    } & Given)
  | { kind: "not_submitted"; clientId: string; code: string }
  | { kind: "answering"; actionId: string }
  | { kind: "answer_refused"; actionId: string; error: string }

export type Intents = {
  send(intent: Intent): Promise<IntentResult>
  /** The writes that no owner has answered yet. */
  inFlight(): readonly { control: Control; key: string }[]
}

/** Carries intents to their owners' ports: one call each, none twice while it is under way, no fact changed here. */
export function createIntents(options: {
  /** Those of the moment: what an owner can do may only be learnt later. */
  ports: OwnerPorts | (() => OwnerPorts)
  state: () => AgentUiState
  note?: (note: IntentNote) => void
}): Intents {
  const { state, note } = options
  const portsNow = () => (typeof options.ports === "function" ? options.ports() : options.ports)
  const flying = new Map<string, { control: Control; asked: string; answer: Promise<IntentResult> }>()

  function send(intent: Intent): Promise<IntentResult> {
    const key = keyOf(intent)
    const asked = `${intent.control} ${JSON.stringify(withoutSecret(intent))}`
    const same = flying.get(key)
    if (same)
      return same.asked === asked ? same.answer : Promise.resolve({ status: "refused", code: "in_flight" })
    const routed = route(intent, state())
    if ("status" in routed) return Promise.resolve(routed)
    const ports = portsNow()
    const chosen = routed.find(({ port }) => ports[port] !== undefined)
    if (!chosen) return Promise.resolve({ status: "refused", code: "no_port" })
    for (const before of notesBefore(intent)) note?.(before)
    const answer = carry(ports, chosen).then((result) => {
      flying.delete(key)
      if (result.status === "refused") for (const after of notesAfter(intent, result)) note?.(after)
      return result
    })
    flying.set(key, { control: intent.control, asked, answer })
    return answer
  }
  return { send, inFlight: () => [...flying].map(([key, { control }]) => ({ control, key })) }
}

async function carry<P extends PortName>(
  ports: OwnerPorts,
  { port, call }: Routed<P>,
): Promise<IntentResult> {
  const perform: OwnerPorts[P] = ports[port]
  try {
    const answer: PortAnswer = (await perform?.(call)) ?? { ok: false, code: "no_port" }
    if (answer.ok) return { status: "sent", ...(answer.value !== undefined && { value: answer.value }) }
    return {
      status: "refused",
      code: answer.code,
      ...(answer.message !== undefined && { message: answer.message }),
    }
  } catch {
    // A port promises not to throw. One that does may have done its work or not.
    return { status: "refused", code: "outcome_unknown" }
  }
}

/** What may be under way only once: one answer to a request, one submission of a text, one act on a target. */
function keyOf(intent: Intent): string {
  if ("actionId" in intent) return `action ${intent.actionId}`
  if ("clientId" in intent && intent.clientId !== undefined) return `input ${intent.clientId}`
  const { control, ...rest } = intent
  return `${control} ${JSON.stringify(rest)}`
}

function withoutSecret(intent: Intent): Intent {
  if (!("secret" in intent)) return intent
  const { secret: _, ...rest } = intent
  return rest
}

function notesBefore(intent: Intent): IntentNote[] {
  if (intent.control === "send" || intent.control === "queue" || intent.control === "steer") {
    const { control, inputs, clientId, sessionId, threadId } = intent
    const place = {
      ...(sessionId !== undefined && { sessionId }),
      ...(threadId !== undefined && { threadId }),
      ...(intent.control === "steer" && { runId: intent.runId }),
    }
    return [{ kind: "submitted", control, inputs, clientId, ...place }]
  }
  return "actionId" in intent ? [{ kind: "answering", actionId: intent.actionId }] : []
}

function notesAfter(intent: Intent, { code, message }: IntentRefusal): IntentNote[] {
  if ("actionId" in intent)
    return [{ kind: "answer_refused", actionId: intent.actionId, error: message ?? code }]
  const sent = intent.control === "send" || intent.control === "queue" || intent.control === "steer"
  return sent ? [{ kind: "not_submitted", clientId: intent.clientId, code }] : []
}

/** What a note changes of what is shown. Input that waits for its own turn is no message, so only what was sent is. */
export function applyNote(state: AgentUiState, note: IntentNote): AgentUiState {
  switch (note.kind) {
    case "submitted": {
      const { control, sessionId, runId, clientId, inputs } = note
      if (sessionId === undefined || control === "queue") return state
      if (control === "send") return showSent(state, { clientId, sessionId, inputs })
      return runId === undefined ? state : showSteer(state, { clientId, sessionId, runId, inputs })
    }
    case "not_submitted":
      return withdrawSteer(withdrawSent(state, note.clientId), note.clientId)
    case "answering":
      return markAnswering(state, note.actionId)
    case "answer_refused":
      return markUnanswered(state, note.actionId, note.error)
  }
}
