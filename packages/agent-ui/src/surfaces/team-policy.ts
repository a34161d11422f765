import type { AvailablePorts } from "../ports.ts"
import type { ActionEntity, AgentEntity, AgentUiState, PermissionEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { contextMeter, costMeter, type Meter } from "./meter.ts"
import { aim, offer, surfaceControls } from "./offer.ts"
import { assemble, inScope, ready, said } from "./standing.ts"
import { coordinatorMode } from "./team-roster.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { doerOf, given, type Who, whoIs } from "./who.ts"

export type PolicyRow = Mark & {
  subjectKey: string
  /** The teammate; without one, the session itself. */
  who?: Who
  mode: Known<string>
  /** It differs from what the coordinator works under. */
  differs: boolean
  approval: Known<string>
  planMode: Known<boolean>
  sandbox: Known<NonNullable<PermissionEntity["sandbox"]>>
  violation?: NonNullable<PermissionEntity["violation"]>
  escalation?: NonNullable<PermissionEntity["escalation"]>
  budget: Known<NonNullable<PermissionEntity["budget"]>>
  /** Only where it bears on what a person decides. */
  risk?: string
  verdict?: string
  explanation: readonly { source: string; verdict: string; rule?: string }[]
  /** Only what lasts: with a ref to prove it, or from a durable policy fact. */
  waiver?: NonNullable<PermissionEntity["waiver"]>
  retention?: NonNullable<PermissionEntity["retention"]>
  policyVersion?: string
  /** Requests of it that wait for a decision. */
  actionIds: readonly string[]
  at?: string
  controls: readonly ControlView[]
}
export type TeamPolicyView = View & {
  policies: readonly PolicyRow[]
  coordinatorMode: Known<string>
  /** What the session has spent and how full its context is, once somebody says so. */
  cost?: Meter
  context?: Meter
}

export const teamPolicy: Surface<TeamPolicyView> = {
  reads: ["permissions", "agents", "actions", "teams", "metrics", "contexts"],
  select(state, scope, ports) {
    const lead = coordinatorMode(state, scope, inScope(state, state.teams, scope))
    const told = inScope(state, state.permissions, scope)
    const asked = inScope(state, state.actions, scope)
    const subjects = Map.groupBy(told, (permission) => agentOf(state, permission))
    const rows = [...subjects].map(([agent, facts]) => {
      const subjectKey = agent?.agentId ?? scope.sessionId ?? "session"
      return rowOf(asked, { ...policyOf(facts), subjectKey }, agent, lead, ports)
    })
    const known = new Set(rows.flatMap(({ who }) => who?.agentId ?? []))
    const untold = inScope(state, state.agents, scope).filter(
      ({ agentId, ended, human }) => !ended && human !== true && !known.has(agentId),
    )
    const policies = [...rows, ...untold.map((agent) => rowOf(asked, nothing(agent), agent, lead, ports))]
    const can = (control: string) =>
      policies.some((row) => row.controls.some((c) => c.control === control && c.enabled))
    const hasPolicy = told.length > 0
    return assemble(
      "team_policy",
      { state, scope, ports },
      {
        has: hasPolicy,
        marks: rows,
        aims: {
          approve: aim(can("approve")),
          reject: aim(can("reject")),
          stop: aim(can("stop"), "team.stop"),
          close: aim(can("close")),
        },
      },
      {
        policies: hasPolicy ? policies : [],
        coordinatorMode: lead ?? "unknown",
        ...given({ cost: costMeter(state, scope), context: contextMeter(state, scope) }),
      },
    )
  },
}

/** Many facts about one subject as one policy: each part as it was told last. */
const policyOf = (told: readonly PermissionEntity[]): PermissionEntity =>
  told
    .toSorted((a, b) => (a.origin.sequence ?? 0) - (b.origin.sequence ?? 0))
    .map(inForce)
    .reduce((all, one) => Object.assign(all, one))

/** Who asked for more and was answered no longer asks; what lasts has a ref to prove it, or a durable fact. */
function inForce({ escalation, waiver, retention, ...fact }: PermissionEntity): PermissionEntity {
  const isOpen = (fact.approval ?? "pending") === "pending"
  const lasts = durable.includes(fact.origin.persistence)
  return {
    ...fact,
    // An explanation belongs to its verdict.
    ...(fact.verdict !== undefined && { explanation: fact.explanation ?? [] }),
    ...(isOpen && given({ escalation })),
    ...((lasts || waiver?.ref !== undefined) && given({ waiver })),
    ...((lasts || retention?.ref !== undefined) && given({ retention })),
  }
}

const durable: readonly unknown[] = ["snapshot", "archive", "evidence_pack", "transcript"]

/** A teammate of which no policy was told: everything of it reads unknown. */
const nothing = kept(
  (agent: AgentEntity): PermissionEntity => ({
    origin: { owner: "unknown", scope: "agent", phase: "unknown" },
    opened: agent.opened,
    subjectKey: agent.agentId,
  }),
)

/** Whose policy it is: of the teammate that is named, or in whose own session it was told; else of the session. */
function agentOf(state: AgentUiState, { subject, origin }: PermissionEntity): AgentEntity | undefined {
  const named = subject?.kind === "agent" ? subject.id : origin.agentId
  if (named !== undefined) return state.agents.get(named)
  const doer = doerOf(state, origin)
  return typeof doer === "object" ? doer : undefined
}

function rowOf(
  asked: readonly ActionEntity[],
  permission: PermissionEntity,
  agent: AgentEntity | undefined,
  lead: string | undefined,
  ports: AvailablePorts,
): PolicyRow {
  const waiting: string[] = []
  for (const { actionId, state: at, requestedBy, origin } of asked) {
    if (at === "pending" && (requestedBy?.agentId ?? origin.agentId) === agent?.agentId)
      waiting.push(actionId)
  }
  return row(permission, agent, lead, waiting.join("\n"), ports)
}

const row = kept(
  (
    permission: PermissionEntity,
    agent: AgentEntity | undefined,
    lead: string | undefined,
    waiting: string,
    ports: AvailablePorts,
  ): PolicyRow => {
    const {
      subjectKey,
      mode,
      violation,
      escalation,
      risk,
      verdict,
      waiver,
      retention,
      policyVersion,
      origin,
    } = permission
    const actionIds = waiting === "" ? [] : waiting.split("\n")
    const decides =
      verdict === "ask" || verdict === "deny" || actionIds.length > 0 || escalation !== undefined
    return {
      subjectKey,
      ...markOf(permission),
      mode: known(mode),
      differs: agent !== undefined && mode !== undefined && lead !== undefined && mode !== lead,
      approval: known(permission.approval),
      planMode: known(permission.planMode),
      sandbox: known(permission.sandbox),
      budget: known(permission.budget),
      explanation: permission.explanation ?? [],
      actionIds,
      ...given({ who: whoIs(agent), violation, escalation, verdict, policyVersion, at: origin.timestamp }),
      ...(decides && given({ risk })),
      ...given({ waiver, retention }),
      controls: offer(surfaceControls.team_policy, ports, {
        approve: aim(actionIds.length > 0),
        reject: aim(actionIds.length > 0),
        stop: aim(agent !== undefined && !agent.ended, "team.stop"),
        close: aim(agent !== undefined && agent.status !== "closed"),
      }),
    }
  },
)

function markOf({ locked, mode, budget, sandbox }: PermissionEntity): Mark {
  if (locked !== undefined)
    return locked === "" ? { state: "blocked", reason: "locked" } : said("blocked", locked)
  const unsaid = mode === undefined && budget === undefined && sandbox === undefined
  return unsaid ? { state: "unknown", reason: "not_reported" } : ready
}
