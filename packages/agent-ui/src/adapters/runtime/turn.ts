import type { InputPart, RunEvent, TurnEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { InputPartView, NotificationPayload } from "../../events/index.ts"
import { type Fields, given, isFields, known, textIn } from "./given.ts"
import { event, inputMessage, type Place, type Translations } from "./place.ts"
import { queueFacts } from "./queue-facts.ts"
import { textOf } from "./session.ts"
import { phaseOf } from "./words.ts"

const run = {
  owner: "runtime",
  scope: "run",
  surface: "runtime_status",
  persistence: "snapshot",
} as const satisfies Partial<Place>

type Submitted = Extract<TurnEvent, { type: "turn.submitted" }>

export const turnFrames: Translations<TurnEvent | RunEvent> = {
  "turn.submitted": (fact) => [
    event(
      "run.status",
      fact,
      { ...run, phase: "accepted" },
      {
        status: "accepted",
        runtimeStatus: "accepted",
        runtimeEntity: entityOf(fact),
        ...queueFacts(fact.payload),
      },
    ),
    ...spoken(fact),
  ],
  "turn.started": (fact) => [
    event(
      "run.started",
      fact,
      { ...run, phase: "preparing" },
      { status: "running", runtimeStatus: "running", runtimeEntity: entityOf(fact) },
    ),
  ],
  "turn.completed": (fact) => [
    event(
      "run.finished",
      fact,
      { ...run, phase: "completed" },
      {
        outcome: fact.payload.outcome === "answered" ? "success" : fact.payload.outcome,
        status: "completed",
        runtimeStatus: "completed",
        runtimeEntity: entityOf(fact),
      },
    ),
  ],
  "turn.failed": (fact) => {
    const { status, category, reason, by, next } = fact.payload
    const told = { status, runtimeStatus: status, runtimeEntity: entityOf(fact), reason }
    if (status === "cancelled") {
      const detail = by === undefined ? {} : { detail: by }
      return [
        event(
          "run.finished",
          fact,
          { ...run, phase: "cancelled" },
          { outcome: "cancelled", ...told, ...detail },
        ),
      ]
    }
    return [
      event(
        "run.failed",
        fact,
        { ...run, phase: "failed" },
        { ...told, category, message: reason, ...given({ next }) },
      ),
    ]
  },
  "run.status": (fact) => {
    const { phase, title, detail, checkpoints, metadata } = fact.payload
    return [
      event(
        "run.status",
        fact,
        { ...run, phase: phaseOf[phase] },
        {
          status: phase,
          runtimeStatus: phase,
          runtimeEntity: entityOf(fact),
          title,
          detail,
          checkpoints: checkpoints.filter(({ done }) => done).map(({ name }) => name),
          ...queueFacts(fact.payload),
          ...given({ nextTryAt: textIn(metadata, "next_try_at") }),
        },
      ),
    ]
  },
}

/** A turn inside a child agent is a teammate's turn. */
const entityOf = (fact: { subagent_id?: string | undefined }): string =>
  fact.subagent_id === undefined ? "agent_turn" : "subagent_turn"

/** Who may submit a turn without being the person: work that reports, and agents that instruct others. */
const reporters: ReadonlySet<string> = new Set([
  "worker",
  "subagent",
  "teammate",
  "task",
  "job",
  "automation",
  "notification",
  "runtime",
])
/** `subagent` alone is input for a child; with an id after it, it is what that child reports. */
const instructors: ReadonlySet<string> = new Set(["agent", "parent", "coordinator", "subagent"])

function spoken(fact: Submitted): AgentUiEvent[] {
  const { input, source, metadata } = fact.payload
  const [kind = ""] = source.split(":")
  const reports = reporters.has(kind) && source !== "subagent"
  if (reports || isFields(metadata?.notification)) return [notification(fact)]
  const place = {
    owner: "session",
    scope: "message",
    phase: "submitted",
    surface: instructors.has(kind) ? "teammate_transcript" : "conversation",
    persistence: "transcript",
    messageId: inputMessage(fact.turn_id),
    partId: "input",
  } as const satisfies Place
  const role = instructors.has(kind) ? "agent" : "user"
  const clientId = textIn(metadata, "client_id") ?? fact.turn_id
  const inputs = input.flatMap((part) => attachment(part))
  const said = { text: textOf(input), role, clientId }
  return [event("text.final", fact, place, inputs.length === 0 ? said : { ...said, inputs })]
}

export function attachment(part: InputPart): InputPartView[] {
  if (part.kind === "text") return []
  const { uri: ref, media_type: mediaType, title, bytes } = part.ref
  if (part.kind === "business") return [{ kind: "business", ref, ...given({ label: title }) }]
  return [{ kind: part.kind, ref, ...given({ mediaType, name: title, bytes }) }]
}

/** What a worker reports comes in as a turn, and is still no word of the person's. */
function notification(fact: Submitted): AgentUiEvent {
  const { input, source, metadata } = fact.payload
  const told: Fields = isFields(metadata?.notification) ? metadata.notification : {}
  const [, from] = source.split(":")
  const payload: NotificationPayload = {
    notificationId: textIn(told, "notification_id") ?? fact.turn_id,
    kind: textIn(told, "kind") ?? "summary",
    ...given({
      status: textIn(told, "status"),
      summary: textIn(told, "summary") ?? textOf(input),
      resultRef: textIn(told, "result_ref"),
      durationMs: known(number(told.duration_ms)),
      toolCount: known(number(told.tool_count)),
    }),
  }
  const agentId = textIn(told, "agent_id") ?? from ?? fact.subagent_id
  const taskId = textIn(told, "task_id") ?? fact.task_id
  return event(
    "worker.notification",
    fact,
    {
      owner: "agent",
      scope: "agent",
      phase: "completed",
      surface: "worker_notifications",
      persistence: "archive",
      ...given({ agentId, taskId }),
    },
    payload,
  )
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
