/** Where facts about a team stand, and about one of its members. */
export const rosterOf = (topology: string) => ({
  owner: "agent",
  scope: "team",
  phase: "acting",
  surface: "team_roster",
  persistence: "snapshot",
  topology,
})
export const member = (agent_id: string, topology: string) => ({
  ...rosterOf(topology),
  scope: "agent",
  agent_id,
})
