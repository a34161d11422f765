import type { ActionOption, OutputPreview } from "../events/index.ts"
import type { AvailablePorts, PortName } from "../ports.ts"
import type { ActionEntity, AgentUiState, ArtifactEntity, ArtifactExport, PlanEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { type Control, requestControls } from "../taxonomy.ts"
import { isAsking } from "../words.ts"
import { kept } from "./memo.ts"
import { aim, aimIn, offer } from "./offer.ts"
import { assemble, inScope, ready, said, staleness } from "./standing.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { agentWho, doerOf, given, picked, type Who, whoIs } from "./who.ts"

/** What a request asks of a person, and how it can be answered. */
export type ActionCard = Mark & {
  actionId: string
  actionType: string
  /** `ended`: its run ended without an answer, so it can no longer be given. */
  status: ActionEntity["state"]
  title?: string
  summary?: string
  toolName?: string
  toolCallId?: string
  input?: OutputPreview
  inputRef?: string
  scope: Known<string>
  /** Only where it bears on what the person decides. */
  risk?: Known<string>
  policyScope?: string
  requestedBy?: Who
  /** Where the answer goes: to whoever asked, not to the conversation that shows it. */
  respondTo?: { sessionId?: string; threadId?: string; agentId?: string }
  options: readonly ActionOption[]
  schema?: Readonly<Record<string, unknown>>
  /** The answer is a secret: it is given to the port and kept nowhere. */
  secret?: true
  plan?: { text?: string; steps: readonly { id?: string; title: string; status?: string }[] }
  artifact?: ReviewedArtifact
  runId?: string
  at?: string
  expiresAt?: string
  decision?: string
  decidedBy?: string
  note?: string
  /** What the owner confirmed; never what was asked for. */
  grant?: { scope?: string; expiresAt?: string; active: Known<boolean> }
  error?: string
  controls: readonly ControlView[]
}
export type ReviewedArtifact = {
  artifactId: string
  kind: string
  title?: string
  versionId?: string
  diffRef?: string
  exports: readonly ArtifactExport[]
  handoff?: string
}
export type HitlView = View & {
  /** Those that need an answer, oldest first. */
  pending: readonly ActionCard[]
  /** Settled ones, newest first. */
  settled: readonly ActionCard[]
  count: number
}

const settledShown = 20
const offered: Readonly<Record<string, readonly Control[]>> = requestControls
/** One that is not listed can at least be answered or refused. */
const anyRequest: readonly Control[] = ["approve", "reject", "answer"]
/** The types whose risk a person weighs. */
const risky = ["tool_approval", "permission_grant", "delegated_permission", "credential_request"]

export const hitl: Surface<HitlView> = {
  reads: ["actions", "agents", "plans", "artifacts"],
  timed: true,
  select(state, scope, ports) {
    const cards = inScope(state, state.actions, scope).map((action) =>
      actionCardOf(state, action, ports, scope.now),
    )
    const pending = cards.filter(({ status }) => isAsking(status))
    const settled = cards
      .filter((card) => !pending.includes(card))
      .reverse()
      .slice(0, scope.window === undefined ? settledShown : undefined)
    const aimAt = aimIn(pending)
    const aims = Object.fromEntries(
      (["approve", "reject", "answer", "edit"] as const).map((control) => [
        control,
        aimAt(control, ...responders),
      ]),
    )
    return assemble(
      "hitl",
      { state, scope, ports },
      { has: pending.length > 0, marks: pending, aims },
      { pending, settled, count: pending.length },
    )
  },
}

const responders: readonly PortName[] = ["runtime.respond", "policy.respond"]

export function actionCardOf(
  state: AgentUiState,
  action: ActionEntity,
  ports: AvailablePorts,
  now?: string,
): ActionCard {
  const session = lookUp(state.sessions, action.origin.sessionId)
  const stale = session !== undefined && staleness(state, session) !== undefined
  const artifact = lookUp(state.artifacts, action.artifactId)
  const asked = action.requestedBy?.agentId
  const doer = asked === undefined ? doerOf(state, action.origin) : (state.agents.get(asked) ?? asked)
  const expiry = action.resolution?.grant?.expiresAt
  const active = expiry === undefined || now === undefined ? undefined : now < expiry
  return card(action, requester(state, action, doer), planOf(state, action), artifact, stale, active, ports)
}

function requester(
  state: AgentUiState,
  { requestedBy }: ActionEntity,
  doer: ReturnType<typeof doerOf>,
): Who | undefined {
  if (requestedBy?.agentId !== undefined) {
    const who = agentWho(state, requestedBy.agentId)
    return who.name === "unknown" && requestedBy.agentName !== undefined
      ? namedWho(requestedBy, who, requestedBy.agentName)
      : who
  }
  const { agentName } = requestedBy ?? {}
  return (
    whoIs(doer) ?? (requestedBy && agentName !== undefined ? strangerWho(requestedBy, agentName) : undefined)
  )
}
/** Somebody of whom only the name is known. */
const strangerWho = kept((_by: object, name: string): Who => ({ key: `name:${name}`, name }))
const namedWho = kept((_by: object, who: Who, name: string): Who => ({ ...who, name }))

/** The plan that a decision is about: in the request, or the one that it names. */
function planOf(state: AgentUiState, action: ActionEntity): PlanEntity | undefined {
  if (action.plan || !action.actionType.endsWith("plan_decision")) return undefined
  const id = action.origin.refs?.plan ?? action.origin.runId
  return lookUp(state.plans, id)
}

const card = kept(
  (
    action: ActionEntity,
    who: Who | undefined,
    plan: PlanEntity | undefined,
    artifact: ArtifactEntity | undefined,
    stale: boolean,
    active: boolean | undefined,
    ports: AvailablePorts,
  ): ActionCard => {
    const { actionType, resolution, origin } = action
    const open = isAsking(action.state)
    return {
      ...picked(action, "actionId", "actionType", "title", "summary", "toolName", "toolCallId", "input"),
      ...picked(action, "inputRef", "policyScope", "respondTo", "schema", "expiresAt", "error"),
      status: action.state,
      ...markOf(action, open, stale),
      scope: known(action.scope),
      options: action.options ?? [],
      ...given({ requestedBy: who, runId: origin.runId, at: origin.timestamp }),
      ...(open && (risky.includes(actionType) || action.risk !== undefined) && { risk: known(action.risk) }),
      ...(actionType === "credential_request" && { secret: true as const }),
      ...given({ plan: shownPlan(action, plan), artifact: reviewed(action, artifact) }),
      ...(action.state === "resolved" && {
        decision: resolution?.decision ?? "unknown",
        ...given({
          decidedBy: resolution?.decidedBy,
          note: resolution?.reason,
          grant: grantOf(action, active),
        }),
      }),
      controls: cardControls(action, open, stale, ports),
    }
  },
)

function markOf({ actionType, blockedReason }: ActionEntity, open: boolean, stale: boolean): Mark {
  if (!open) return ready
  if (stale) return { state: "stale", reason: "held_while_stale" }
  if (blockedReason !== undefined) return said("blocked", blockedReason)
  return actionType === "unknown" ? { state: "unknown", reason: "kind_unknown" } : ready
}

function cardControls(
  action: ActionEntity,
  open: boolean,
  stale: boolean,
  ports: AvailablePorts,
): ControlView[] {
  const via: readonly PortName[] =
    action.origin.owner === "policy" ? ["policy.respond", "runtime.respond"] : ["runtime.respond"]
  const controls = offered[action.actionType] ?? anyRequest
  const held = stale
    ? "held_while_stale"
    : action.state === "answering"
      ? "awaiting_confirmation"
      : action.blockedReason !== undefined
        ? "owner_says"
        : undefined
  return offer(
    controls,
    ports,
    Object.fromEntries(controls.map((control) => [control, aim(open, ...via)])),
    held,
  )
}

function shownPlan(
  { plan, actionType }: ActionEntity,
  entity: PlanEntity | undefined,
): ActionCard["plan"] | undefined {
  if (!actionType.endsWith("plan_decision")) return undefined
  if (plan) return { steps: plan.steps ?? [], ...given({ text: plan.text }) }
  return (
    entity && { steps: entity.steps, ...(entity.text.length > 0 && { text: entity.text.blocks.join("") }) }
  )
}

function reviewed(action: ActionEntity, artifact: ArtifactEntity | undefined): ReviewedArtifact | undefined {
  if (action.actionType !== "artifact_review" || action.artifactId === undefined) return undefined
  const versionId = action.versionId ?? artifact?.currentVersionId
  const diff = artifact?.diffs.find(({ to }) => to === versionId)
  return {
    artifactId: action.artifactId,
    kind: artifact?.kind ?? "unknown",
    exports: artifact?.exports ?? [],
    ...given({
      title: artifact?.title,
      versionId,
      diffRef: action.diffRef ?? diff?.ref,
      handoff: artifact?.handoff,
    }),
  }
}

function grantOf({ resolution }: ActionEntity, active: boolean | undefined): ActionCard["grant"] | undefined {
  if (!resolution?.grant) return undefined
  return { ...resolution.grant, active: resolution.grant.expiresAt === undefined ? true : known(active) }
}
