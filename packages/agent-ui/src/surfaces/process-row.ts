import type { PlanStep } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type {
  AgentUiState,
  ContextEntity,
  MessagePart,
  PlanEntity,
  ProcessEntry,
  RunEntity,
} from "../state.ts"
import { isAsking } from "../words.ts"
import { type ActionCard, actionCardOf } from "./hitl.ts"
import { kept } from "./memo.ts"
import { type ArtifactCard, artifactLink } from "./message-row.ts"
import { ready, runOf } from "./standing.ts"
import { type ToolRow, toolRowOf } from "./tool-ui.ts"
import { type Known, known, type Mark, type Read, type ViewScope } from "./view.ts"
import { agentWho, given, picked, type Who, whoNamed, whoOf } from "./who.ts"

/** One line of a process, with what it is about; order is the runtime's. */
export type ProcessRow = Mark & {
  /** Unique in its run. */
  key: string
  kind: ProcessEntry["kind"]
  id: string
  at?: string
  sequence?: number
  who?: Who
  status: Known<string>
  expanded: boolean
} & ProcessDetail
export type ProcessDetail = {
  tool?: ToolRow
  action?: ActionCard
  plan?: { text: readonly string[]; steps: readonly PlanStep[]; state: "streaming" | "final" }
  reasoning?: ReasoningView
  /** Where the text stands; its words are in the conversation alone. */
  text?: { messageId: string; partId?: string }
  artifact?: Omit<ArtifactCard, "partId">
  evidence?: { evidenceId: string; kind?: string; title?: string; verdict?: string }
  context?: ContextNote
  compaction?: {
    summary?: string
    summaryRef?: string
    range?: { from: number; to: number }
    resume: boolean
  }
  title?: string
  /** Of a notification, handoff, review, error or steer: the words and the ref that its owner gave. */
  note?: string
  ref?: string
  failure?: { category?: string; message?: string; next?: string; retryable?: boolean }
}
export type ReasoningView = {
  summary: Known<string>
  detail?: readonly string[]
  encryptedRef?: string
  state: "streaming" | "final"
}
export type ContextNote = {
  budget?: NonNullable<ContextEntity["budget"]>
  selected: number
  retrieved: readonly { sourceId: string; citation?: string; ref?: string }[]
  missing: readonly { id: string; reason?: string; blocking?: boolean }[]
  /** A write to memory, only where the owner says that a person is to see it. */
  memory?: { op?: string; ref?: string; summary?: string }
  warnings: readonly string[]
}

/** What a line of a process may be about. */
export const processReads = [
  "runs",
  "tools",
  "actions",
  "plans",
  "artifacts",
  "evidence",
  "contexts",
  "compactions",
  "tasks",
  "agents",
  "handoffs",
  "notifications",
  "reviews",
  "local",
] as const satisfies readonly Read[]

/** The reasoning of the newest run: of all that streams into messages, the only part that a process shows. */
export function reasoningParts(state: AgentUiState, scope: ViewScope): MessagePart[] {
  return (runOf(state, scope)?.messageIds ?? []).flatMap(
    (id) => state.messages.get(id)?.parts.filter(({ kind }) => kind === "reasoning") ?? [],
  )
}

/** The places of the newest lines of a run. */
export function placesOf({ process }: RunEntity, most: number): number[] {
  const from = Math.max(0, process.length - most)
  return Array.from({ length: process.length - from }, (_, index) => from + index)
}

type Found = ProcessDetail & { mark?: Mark; status?: string; open?: boolean; who?: Who }

/** Lines that are about something which is not known any more are left out, and so are hidden memory writes. */
export function processRowOf(
  state: AgentUiState,
  run: RunEntity,
  place: number,
  ports: AvailablePorts,
  now?: string,
): ProcessRow | undefined {
  const entry = run.process.at(place)
  if (!entry) return undefined
  const found = finders[entry.kind](state, entry, run, ports, now)
  if (!found) return undefined
  const { mark, status, open, who, ...detail } = found
  const key = keyOf(entry, place)
  const choice =
    state.local.collapsed.has(key) || state.local.collapsed.has(entry.id)
      ? false
      : expandedAs(state, key, entry.id)
  const by = who ?? whoNamed(state, entry.agentId)
  return {
    key,
    kind: entry.kind,
    id: entry.id,
    ...(mark ?? ready),
    status: known(status),
    expanded: choice === undefined ? (open ?? false) : choice === "inline",
    ...given({ at: entry.at, sequence: entry.sequence, who: by }),
    ...detail,
  }
}

const expandedAs = (state: AgentUiState, key: string, id: string) =>
  state.local.expanded.get(key) ?? state.local.expanded.get(id)

/** One thing has one line; of a status, a context and an error there may be several, told apart by their place. */
function keyOf({ kind, id, partId }: ProcessEntry, place: number): string {
  const many = kind === "status" || kind === "context" || kind === "error"
  return [kind, id, ...(partId === undefined ? [] : [partId]), ...(many ? [place] : [])].join(":")
}

type Finder = (
  state: AgentUiState,
  entry: ProcessEntry,
  run: RunEntity,
  ports: AvailablePorts,
  now?: string,
) => Found | undefined

const finders: Record<ProcessEntry["kind"], Finder> = {
  status: (_, { note }) => ({ ...given({ status: note }) }),
  error: (_, __, run) => ({
    status: "failed",
    open: true,
    ...given({ failure: run.failure, note: run.failure?.message }),
  }),
  text: (_, { id, partId }) => ({ status: "text", text: { messageId: id, ...given({ partId }) } }),
  reasoning: (state, entry, run) => {
    const part = partOf(state, entry)
    if (part?.kind !== "reasoning") return undefined
    return {
      status: part.state,
      open: !run.ended,
      reasoning: reasoningOf(part, state.local.showReasoningDetail),
    }
  },
  plan: (state, { id }, run) => {
    const plan = state.plans.get(id)
    return plan && { status: plan.state, open: !run.ended, plan: planView(plan), ...whoField(state, plan) }
  },
  tool: (state, { id }, _, ports) => {
    const tool = toolRowOf(state, id, ports)
    if (!tool) return undefined
    const name = tool.title ?? tool.toolName
    return {
      tool,
      mark: markOf(tool),
      status: tool.status,
      open: tool.expanded,
      title: name,
      ...given({ who: tool.who }),
    }
  },
  action: (state, { id }, _, ports, now) => {
    const entity = state.actions.get(id)
    if (!entity) return undefined
    const action = actionCardOf(state, entity, ports, now)
    const open = isAsking(action.status)
    const mark: Mark =
      open && action.state === "ready" ? { state: "blocked", reason: "awaiting_user" } : markOf(action)
    return {
      action,
      mark,
      status: action.status,
      open,
      ...given({ who: action.requestedBy, title: action.title }),
    }
  },
  artifact: (state, { id }) => {
    const artifact = state.artifacts.get(id)
    if (!artifact) return undefined
    const { gone } = artifact
    const card = { ...artifactLink(artifact), state: gone ? ("unavailable" as const) : ("ready" as const) }
    const mark: Mark = gone ? { state: "unavailable", reason: "deleted" } : ready
    return {
      mark,
      artifact: card,
      ...picked(artifact, "status", "title"),
      ...whoField(state, artifact),
    }
  },
  evidence: (state, { id }) => {
    const evidence = state.evidence.get(id)
    if (!evidence) return undefined
    return {
      evidence: picked(evidence, "evidenceId", "kind", "title", "verdict"),
      ...given({ status: evidence.verdict }),
      ...picked(evidence, "title"),
      ...whoField(state, evidence),
    }
  },
  context: (state, { id }) => {
    const context = state.contexts.get(id)
    const note = context && contextNote(context)
    if (!note || isSilent(note)) return undefined
    const blocking = note.missing.find((item) => item.blocking === true)
    const mark: Mark = blocking
      ? { state: "blocked", reason: "missing_context", ...given({ said: blocking.reason }) }
      : ready
    return {
      context: note,
      mark,
      status: blocking ? "blocked" : note.missing.length > 0 ? "unknown" : "ready",
    }
  },
  compaction: (state, { id }) => {
    const boundary = state.compactions.get(id)
    if (!boundary) return undefined
    return {
      status: boundary.state,
      compaction: {
        resume: boundary.resume !== undefined,
        ...picked(boundary, "summary", "summaryRef", "range"),
      },
    }
  },
  task: (state, { id }) => {
    const task = state.tasks.get(id)
    if (!task || task.removed) return undefined
    const mark: Mark =
      task.blocker === undefined ? ready : { state: "blocked", reason: "owner_says", said: task.blocker }
    return {
      mark,
      open: task.failure !== undefined,
      ...given({ title: task.title ?? task.objective }),
      ...picked(task, "status", "failure"),
      ...whoField(state, task),
    }
  },
  agent: (state, { id }) => {
    const agent = state.agents.get(id)
    if (!agent) return undefined
    return {
      who: agentWho(state, id),
      ...given({ title: agent.agentName, note: agent.summary, ref: agent.resultRef }),
      ...picked(agent, "status", "failure"),
    }
  },
  handoff: (state, { id }) => {
    const handoff = state.handoffs.get(id)
    if (!handoff) return undefined
    const who = whoNamed(state, handoff.from)
    return given({ status: handoff.status, note: handoff.reason, ref: handoff.to, who })
  },
  notification: (state, { id }) => {
    const entity = state.notifications.get(id)
    return (
      entity && {
        ...given({ status: entity.status, note: entity.summary, ref: entity.resultRef }),
        ...whoField(state, entity),
      }
    )
  },
  review: (state, { id }) => {
    const review = state.reviews.get(id)
    if (!review) return undefined
    const who = whoNamed(state, review.reviewer)
    return given({ status: review.status, note: review.verdict, who })
  },
  steer: (_, { id }, run) => {
    const steered = run.steered.find(({ clientId }) => clientId === id) ?? run.steered.at(-1)
    return steered && { status: steered.state, ...given({ note: steered.text }) }
  },
}

export const processKinds = Object.keys(finders) as readonly ProcessEntry["kind"][]

const markOf = (mark: Mark): Mark => picked(mark, "state", "reason", "said")
const whoField = (state: AgentUiState, { origin }: Pick<PlanEntity, "origin">) =>
  given({ who: whoOf(state, origin) })

function partOf(state: AgentUiState, { id, partId }: ProcessEntry): MessagePart | undefined {
  return state.messages.get(id)?.parts.find((part) => part.partId === partId && part.kind === "reasoning")
}

type ReasoningPart = Extract<MessagePart, { kind: "reasoning" }>

/** Detail only where the provider and the reader both allow it; what is encrypted stays behind its ref. */
const reasoningOf = kept((part: ReasoningPart, wanted: boolean): ReasoningView => {
  const allowed = wanted && part.visible === true && part.encryptedRef === undefined
  return {
    summary: known(part.summary),
    ...picked(part, "state", "encryptedRef"),
    ...(allowed && part.detail.length > 0 && { detail: part.detail.blocks }),
  }
})

const planView = kept(({ text, steps, state }: PlanEntity) => ({ text: text.blocks, steps, state }))

const contextNote = kept((context: ContextEntity): ContextNote => {
  const { budget, selection, retrieval, missing, memory, warnings } = context
  return {
    selected: selection?.length ?? 0,
    retrieved: (retrieval ?? []).map((one) => picked(one, "sourceId", "citation", "ref")),
    missing: missing ?? [],
    warnings: warnings ?? [],
    ...given({ budget }),
    ...(memory?.visible === true && {
      memory: picked(memory, "op", "ref", "summary"),
    }),
  }
})

const isSilent = ({ budget, selected, retrieved, missing, memory, warnings }: ContextNote) =>
  !budget && !memory && selected + retrieved.length + missing.length + warnings.length === 0
