import type { AgentUiEnvelope } from "../../envelope.ts"
import { action } from "../made.ts"
import { fieldsOf, given, isFields, listOf, textOf } from "../translation.ts"
import type { Interrupt, ResumeEntry } from "./wire.ts"

/** What a person decided about one action. */
export type Answer = { decision: string; payload?: Readonly<Record<string, unknown>>; note?: string }

export function interruptOf(event: AgentUiEnvelope): Interrupt {
  const { payload } = event
  return {
    id: event.actionId ?? "unknown",
    reason: textOf(payload, "actionType") ?? "unknown",
    ...given({
      message: textOf(payload, "summary") ?? textOf(payload, "title"),
      toolCallId: event.toolCallId ?? textOf(payload, "toolCallId"),
      expiresAt: textOf(payload, "expiresAt"),
    }),
    responseSchema: { ...(fieldsOf(payload, "schema") ?? decisionSchema(listOf(payload, "options"))) },
  }
}

/** Tells a foreign page which words this action may be answered with. */
function decisionSchema(options: readonly unknown[]) {
  const words = options.flatMap((option) => textOf(option, "id") ?? [])
  const decision = words.length > 0 ? { type: "string", enum: words } : { type: "string" }
  return { type: "object", properties: { decision }, required: ["decision"] }
}

/** One interrupt as the action that it is. AG-UI does not say of which type; only a call makes it an approval. */
export function actionOf(interrupt: Interrupt): AgentUiEnvelope {
  const { id, reason, message, toolCallId, responseSchema, expiresAt, subagentRunId } = interrupt
  const actionType = toolCallId ? "tool_approval" : responseSchema ? "structured_input" : "clarification"
  return action("action.required", id, {
    phase: "waiting",
    ...given({ toolCallId, agentId: subagentRunId }),
    payload: given({
      actionType,
      title: reason,
      summary: message,
      toolCallId,
      schema: responseSchema,
      expiresAt,
    }),
  })
}

/** The answers to the interrupts of one run: AG-UI takes them all at once or not at all. */
export class ResumeBatch {
  readonly #open: readonly string[]
  readonly #answers = new Map<string, Answer>()

  constructor(interrupts: readonly Interrupt[]) {
    this.#open = interrupts.map(({ id }) => id)
  }

  get held(): ReadonlyMap<string, Answer> {
    return this.#answers
  }

  /** The batch when this was the last answer; nothing while others are open or where the action is not. */
  answer(actionId: string, answer: Answer): readonly ResumeEntry[] | undefined {
    if (!this.#open.includes(actionId)) return undefined
    this.#answers.set(actionId, answer)
    if (this.#answers.size < this.#open.length) return undefined
    return this.#open.map((id) => entryOf(id, this.#answers.get(id)))
  }
}

function entryOf(interruptId: string, answer: Answer | undefined): ResumeEntry {
  if (!answer || answer.decision === "cancel") return { interruptId, status: "cancelled" }
  const { decision, payload, note } = answer
  return { interruptId, status: "resolved", payload: { ...payload, ...given({ decision, note }) } }
}

/** What a foreign page answered, read from the shapes in use: a word, yes or no, or an object with either. */
export function answersOf(resume: readonly ResumeEntry[]): { actionId: string; answer: Answer }[] {
  return resume.map(({ interruptId, status, payload }) => ({
    actionId: interruptId,
    answer: status === "cancelled" ? { decision: "cancel" } : answerOf(payload),
  }))
}

function answerOf(payload: unknown): Answer {
  if (typeof payload === "string") return { decision: payload }
  if (typeof payload === "boolean") return { decision: payload ? "approve" : "reject" }
  if (!isFields(payload)) return { decision: "answer" }
  const { decision, approved, note, ...rest } = payload
  const said = approved === undefined ? "answer" : approved === true ? "approve" : "reject"
  return {
    decision: typeof decision === "string" ? decision : said,
    ...(Object.keys(rest).length > 0 && { payload: rest }),
    ...(typeof note === "string" && { note }),
  }
}
