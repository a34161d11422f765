import type { ActionRequest, Preview, SessionState } from "@factum/facts"
import type { Agent } from "../agent.ts"
import type { actionOf, CallScope } from "../control/calls.ts"
import { moveTo } from "../control/loop.ts"
import { claimPlace, type Draft } from "../decision.ts"
import { parentOf } from "../delegation/link.ts"
import { type Explanation, visible } from "../policy/index.ts"
import type { Question, Tool, ToolOutcome } from "../ports/tool.ts"
import { endedCall } from "./call-facts.ts"
import type { CallPorts, Input } from "./call-ports.ts"
import { held } from "./routing-ports.ts"

const longestShown = 6000

/** All that a person needs to see: what it touches, and every word of what it is given. */
function shownInput(summary: string, input: Input): Preview {
  const given = Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`
  })
  const text = [summary, ...given.map(visible)].join("\n")
  return { text: text.slice(0, longestShown), whole: text.length <= longestShown }
}

function becauseOf({ winner, sources, verdict }: Explanation): string {
  const voice = sources.find(
    ({ source, rule, verdict: said }) => source === winner.source && rule === winner.rule && said !== "allow",
  )
  const why = voice?.detail === undefined ? "" : ` ${voice.detail}.`
  return `Asked because of ${winner.rule}.${verdict === "ask" ? why : ""}`
}

/** Who asks, who decides, and until when; of one who works for another, the type says so. */
function terms({ agent, now }: CallPorts, action_type: ActionRequest["action_type"], deadline?: string) {
  const { name, requester, decided_by = "human", answer_within_ms } = agent
  const until = answer_within_ms === undefined ? undefined : new Date(now() + answer_within_ms).toISOString()
  const end = deadline ?? until
  return {
    action_type: requester === undefined ? action_type : own(action_type),
    requester: requester ?? { kind: "agent" as const, name },
    decided_by,
    ...(end === undefined ? {} : { deadline: end }),
  }
}

/** In its own session a grant stays one, so that it is known to hold there. */
const own = (type: ActionRequest["action_type"]): ActionRequest["action_type"] =>
  type === "permission_grant" ? type : (delegated[type] ?? type)

/** What a question is when it comes from one who works for another. */
export const delegated: Partial<Record<ActionRequest["action_type"], ActionRequest["action_type"]>> = {
  tool_approval: "delegated_permission",
  permission_grant: "delegated_permission",
  plan_decision: "teammate_plan_decision",
}

/** A question is a step of its own, beside that of the call which asks. */
const aside = ({ step_id: _, ...scope }: CallScope) => scope

/** Asks a person, or who decides in their place, for leave; the call waits. */
export async function requestLeave(
  ports: CallPorts,
  scope: CallScope,
  tool: Tool,
  input: Input,
  judged: Explanation,
  evaluation_id: string,
  before: readonly Draft[],
): Promise<void> {
  const { operation } = judged
  const request_id = ports.ids.next("request")
  const action_id = ports.ids.next("action")
  const { deadline, ...on } = terms(ports, "tool_approval")
  const until = deadline === undefined ? {} : { deadline }
  const asked: Draft[] = [
    {
      type: "permission.requested",
      ...scope,
      action_id,
      payload: { request_id, evaluation_id, operation, waits_for: on.decided_by, ...until },
    },
    {
      type: "action.required",
      ...aside(scope),
      action_id,
      payload: {
        ...on,
        ...until,
        title: `Allow ${tool.name}?`,
        detail: becauseOf(judged),
        parent: { kind: "tool_call", id: scope.tool_call_id },
        decisions: [
          { id: "allow", label: "Allow once", effect: "allow" },
          { id: "deny", label: "Deny", effect: "deny" },
        ],
        request_id,
        tool: tool.name,
        safe_input: shownInput(operation.summary.text, input),
      },
    },
  ]
  const facts = (state: SessionState) => [
    ...before,
    ...asked,
    ...waiting(state, scope, "waiting_permission", tool.name, ports.agent),
  ]
  const { session_id, thread_id } = scope
  await ports.write(facts, [
    actionPlace(ports, action_id, scope),
    claimPlace(request_id, { kind: "request", session_id, thread_id }),
  ])
}

/** An action of a child can be answered where its parent works, too. */
function actionPlace({ state }: CallPorts, action_id: string, { session_id, thread_id }: CallScope) {
  const parent = parentOf(state())
  const within = parent === undefined ? {} : { parent_session_id: parent.session_id }
  return claimPlace(action_id, { kind: "action", session_id, thread_id, ...within })
}

export async function ask(
  ports: CallPorts,
  scope: CallScope,
  question: Question,
  before: readonly Draft[],
): Promise<void> {
  const action_id = ports.ids.next("action")
  const required: Draft = {
    type: "action.required",
    ...aside(scope),
    action_id,
    payload: {
      ...question,
      ...terms(ports, question.action_type, question.deadline),
      // Only a person can say what is asked here.
      decided_by: "human",
      parent: { kind: "tool_call", id: scope.tool_call_id },
    },
  }
  const facts = (state: SessionState) => [
    ...before,
    required,
    ...waiting(state, scope, "waiting_input", question.title, ports.agent),
  ]
  await ports.write(facts, [actionPlace(ports, action_id, scope)])
}

export function waiting(
  state: SessionState,
  scope: CallScope,
  phase: "waiting_permission" | "waiting_input",
  detail: string,
  { unattended = false }: Pick<Agent, "unattended"> = {},
): Draft[] {
  const { session_id, thread_id, turn_id } = scope
  // With nobody there to answer it does not merely wait: someone has to come.
  if (unattended)
    return held(state, turn_id, "blocked", `Nobody is there to decide on: ${detail}.`, { missing: "action" })
  const facts = moveTo(state, turn_id, phase, "Waiting for you", detail)
  const thread = state.entities.threads[thread_id]
  if (thread?.status !== "active") return facts
  const payload = { status: "waiting", previous: "active", active_turn_id: turn_id, reason: phase } as const
  return [...facts, { type: "thread.updated", session_id, thread_id, payload }]
}

type Resolution = NonNullable<ReturnType<typeof actionOf>>["resolution"]

/** A person's answer is the result of the question. */
export async function settleQuestion(
  ports: CallPorts,
  scope: CallScope,
  resolution: Resolution,
): Promise<void> {
  const outcome: ToolOutcome =
    resolution?.reason === "answered"
      ? {
          ok: true,
          output: JSON.stringify({
            decision: resolution.decision,
            answer: resolution.answer ?? null,
            ...(resolution.answer_ref === undefined ? {} : { answer_ref: resolution.answer_ref.uri }),
            note: resolution.note ?? null,
          }),
        }
      : {
          ok: false,
          category: resolution?.reason === "expired" ? "time_limit" : "interrupted",
          message:
            resolution?.reason === "expired" ? "Nobody answered in time." : "The question was withdrawn.",
        }
  const facts = await endedCall(scope, outcome, 0, ports)
  await ports.write(() => facts)
}
