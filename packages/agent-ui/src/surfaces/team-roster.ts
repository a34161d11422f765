import type { AgentEntity, AgentUiState, TeamEntity } from "../state.ts"
import { activeOwner } from "./handoff-lane.ts"
import { contextOf } from "./meter.ts"
import { aim } from "./offer.ts"
import { assemble, inScope, runOf } from "./standing.ts"
import { byAttention, countGroups, type StatusGroup } from "./status-group.ts"
import { type Limits, limitsOf, type TeammateRow, teammateRowOf } from "./teammate-row.ts"
import { type Known, known, type Surface, type View, type ViewScope } from "./view.ts"
import { agentWho, given } from "./who.ts"

export type TeamRow = {
  teamId: string
  teamName: Known<string>
  status: Known<string>
  teamPhase?: string
  selected: boolean
  coordinatorId?: string
  limits?: Limits
  /** Where the coordinator drew its workers' results together. */
  synthesis?: { messageId?: string; taskIds?: readonly string[] }
}
export type TeamMemory = { ref: string; scope: Known<string>; precedence: Known<number>; summary?: string }
export type TeamRosterView = View & {
  teammates: readonly TeammateRow[]
  teams: readonly TeamRow[]
  counts: Record<StatusGroup, number>
  /** Shared memory, what wins first. */
  memory: readonly TeamMemory[]
  topology?: string
  /** The run that a new teammate would work for. */
  runId?: string
}

export const teamRoster: Surface<TeamRosterView> = {
  reads: ["agents", "teams", "handoffs", "permissions", "actions", "contexts", "runs"],
  select(state, scope, ports) {
    const agents = inScope(state, state.agents, scope)
    const teams = inScope(state, state.teams, scope)
    const owner = activeOwner(state, scope)
    const run = runOf(state, scope)
    const lead = coordinatorMode(state, scope, teams)
    const rows = agents.map((agent) => {
      const mode = agentMode(state, agent)
      const differs = mode !== undefined && mode !== lead ? mode : undefined
      return teammateRowOf(state, agent, ports, "team_roster", {
        active: owner === agent.agentId,
        ...given({ mode: differs }),
      })
    })
    const teammates = byAttention([...rows, ...members(state, teams, rows)])
    const live = teammates.some(({ ended, human }) => !ended && !human)
    const can = (control: string) =>
      teammates.some((row) => row.controls.some((c) => c.control === control && c.enabled))
    const topology = [...teams, ...agents].findLast(({ origin }) => origin.topology !== undefined)?.origin
      .topology
    return assemble(
      "team_roster",
      { state, scope, ports },
      {
        has: teammates.length > 0,
        marks: teammates,
        aims: {
          delegate: aim(run !== undefined),
          continue_agent: aim(can("continue_agent")),
          wait: aim(live),
          stop: aim(live, "team.stop"),
          close: aim(can("close")),
        },
      },
      {
        teammates,
        teams: teams.map(teamRow),
        counts: countGroups(teammates),
        memory: memoryOf(state, scope, teams),
        ...given({ topology, runId: run?.runId }),
      },
    )
  },
}

export function teamRow(team: TeamEntity): TeamRow {
  const { teamId, teamPhase, coordinatorId, synthesis } = team
  return {
    teamId,
    teamName: known(team.teamName),
    status: known(team.status),
    selected: team.selected === true,
    ...given({ teamPhase, coordinatorId, synthesis, limits: limitsOf(team) }),
  }
}

/** People and agents that a team lists and that told nothing of themselves. */
function members(
  state: AgentUiState,
  teams: readonly TeamEntity[],
  rows: readonly TeammateRow[],
): TeammateRow[] {
  const listed = teams.flatMap(({ roster, teamName }) =>
    (roster ?? []).map((member) => ({ ...member, teamName })),
  )
  const missing = listed.filter(({ agentId }) => !rows.some((row) => row.agentId === agentId))
  return missing.map(({ agentId, agentName, role, human, teamName }) => ({
    agentId,
    who: {
      ...agentWho(state, agentId),
      name: known(agentName),
      ...given({ role, teamName }),
      ...(human && { human: true as const }),
    },
    state: "unknown",
    reason: "status_unknown",
    role: known(role),
    source: human ? "human" : "unknown",
    model: human ? "unavailable" : "unknown",
    policy: "unknown",
    status: "unknown",
    group: "unknown",
    human: human === true,
    remote: false,
    background: false,
    active: false,
    capabilities: "unknown",
    lineage: {},
    ended: false,
    needsYou: 0,
    controls: [],
  }))
}

export function agentMode(state: AgentUiState, agent: AgentEntity): string | undefined {
  for (const { subject, origin, mode } of state.permissions.values()) {
    const about = subject?.kind === "agent" ? subject.id : origin.agentId
    if (about === agent.agentId && mode !== undefined) return mode
  }
}

/** The mode that the coordinator works under: its own, else that of the session. */
export function coordinatorMode(
  state: AgentUiState,
  scope: ViewScope,
  teams: readonly TeamEntity[],
): string | undefined {
  const lead = teams.find(({ coordinatorId }) => coordinatorId !== undefined)?.coordinatorId
  const agent = lead === undefined ? undefined : state.agents.get(lead)
  const own = agent && agentMode(state, agent)
  if (own !== undefined) return own
  return inScope(state, state.permissions, scope).find(
    ({ subject, origin, mode }) =>
      subject?.kind !== "agent" && origin.agentId === undefined && mode !== undefined,
  )?.mode
}

function memoryOf(state: AgentUiState, scope: ViewScope, teams: readonly TeamEntity[]): TeamMemory[] {
  const told = [...(contextOf(state, scope).teamMemory ?? []), ...teams.flatMap(({ memory }) => memory ?? [])]
  return told
    .map(({ ref, scope: of, precedence, summary }) => ({
      ref,
      scope: known(of),
      precedence: known(precedence),
      ...given({ summary }),
    }))
    .toSorted((a, b) => weight(b.precedence) - weight(a.precedence))
}
const weight = (precedence: Known<number>) =>
  typeof precedence === "number" ? precedence : Number.NEGATIVE_INFINITY
