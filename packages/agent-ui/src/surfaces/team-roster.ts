import type { AgentEntity, AgentUiState, TeamEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { ownPermissions } from "./composer.ts"
import { activeOwner } from "./handoff-lane.ts"
import { contextOf } from "./meter.ts"
import { aim, aimIn } from "./offer.ts"
import { assemble, inScope, runOf } from "./standing.ts"
import { byAttention, countGroups, type StatusGroup } from "./status-group.ts"
import { type Limits, limitsOf, type TeammateRow, teammateRowOf } from "./teammate-row.ts"
import { type Known, known, type Surface, type View, type ViewScope } from "./view.ts"
import { agentWho, given, picked } from "./who.ts"

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
    const aimAt = aimIn(teammates)
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
          continue_agent: aimAt("continue_agent"),
          wait: aim(live),
          stop: aim(live, "team.stop"),
          close: aimAt("close"),
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
  return {
    ...picked(team, "teamId", "teamPhase", "coordinatorId", "synthesis"),
    teamName: known(team.teamName),
    status: known(team.status),
    selected: team.selected === true,
    ...given({ limits: limitsOf(team) }),
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
  const agent = lookUp(state.agents, lead)
  const own = agent && agentMode(state, agent)
  if (own !== undefined) return own
  return ownPermissions(state, scope).find(({ mode }) => mode !== undefined)?.mode
}

function memoryOf(state: AgentUiState, scope: ViewScope, teams: readonly TeamEntity[]): TeamMemory[] {
  const told = [...(contextOf(state, scope).teamMemory ?? []), ...teams.flatMap(({ memory }) => memory ?? [])]
  return told
    .map((memory) => ({
      ...picked(memory, "ref", "summary"),
      scope: known(memory.scope),
      precedence: known(memory.precedence),
    }))
    .toSorted((a, b) => weight(b.precedence) - weight(a.precedence))
}
const weight = (precedence: Known<number>) =>
  typeof precedence === "number" ? precedence : Number.NEGATIVE_INFINITY
