import { expect, test } from "vitest"
import { fact, given, noPorts, opened, see, started, told } from "./given.ts"
import { teamSession } from "./scenario.ts"

const scope = { sessionId: "s1" }

test("a roster names the run that a new teammate would work for, and none without a run", () => {
  expect(see("team_roster", given(opened, started), scope).runId).toBe("r1")
  expect(see("team_roster", given(opened), scope).runId).toBeUndefined()
})

test("a capsule says what its controls are about, whatever kind it is of", () => {
  const { capsules } = see("task_capsule", teamSession(), scope)
  expect(Object.fromEntries(capsules.map(({ id, target }) => [id, `${target.kind} ${target.id}`]))).toEqual({
    q1: "queued_turn q1",
    r1: "run r1",
    "task-researcher": "task task-researcher",
    "task-tester": "task task-tester",
    lead: "agent lead",
    researcher: "agent researcher",
    tester: "agent tester",
    reviewer: "agent reviewer",
    partner: "agent partner",
    nightly: "agent nightly",
    team1: "session s1",
  })
})

test("a board lists everyone who can be given work once: assignees, teammates, members of a team", () => {
  const { people } = see("work_board", teamSession(), scope)
  expect(people.filter(({ id }) => id === "mia")).toEqual([{ id: "mia", kind: "human", name: "Mia" }])
  expect(people.map(({ id }) => id)).toEqual([
    "mia",
    "lead",
    "researcher",
    "tester",
    "reviewer",
    "partner",
    "nightly",
  ])
})

test("a closed teammate is given no work", () => {
  const state = given(opened, told("agent.changed", { agentName: "old", status: "closed" }, { agentId: "a" }))
  expect(see("work_board", state, scope).people).toEqual([])
})

test("a node of the graph has the controls of what it stands for", () => {
  const { nodes } = see("delegation_graph", teamSession(), scope)
  const enabled = (id: string) =>
    nodes
      .find((node) => node.id === id)
      ?.controls.filter((offered) => offered.enabled)
      .map(({ control }) => control)
  expect(enabled("agent:tester")).toEqual(["wait", "retry", "stop", "open_detail"])
  expect(enabled("agent:researcher")).toEqual(["open_detail"])
  expect(enabled("task:task-researcher")).toEqual(["open_detail"])
  expect(enabled("session:s1")).toEqual(["open_detail"])
  expect(enabled("task:task-root")).toEqual([])
  expect(nodes.find(({ id }) => id === "task:task-root")?.target).toBeUndefined()
})

test("a lane of reviews names the artifacts that a review can be asked for", () => {
  const made = fact(
    "artifact.created",
    { kind: "code", title: "auth.ts", versionId: "v1" },
    { artifactId: "a" },
  )
  expect(see("review_lane", given(opened, made), scope)).toMatchObject({
    reviewable: [{ artifactId: "a", title: "auth.ts", versionId: "v1" }],
    controls: [{ control: "request_review", enabled: true }, { control: "open_detail" }],
  })
  expect(see("review_lane", given(opened, made), scope, noPorts).controls[0]).toEqual({
    control: "request_review",
    enabled: false,
    reason: "no_port",
  })
})

test("a remote teammate's open requests say how an answer must look", () => {
  const schema = { type: "object", properties: { clause: { type: "string" } } }
  const state = given(
    opened,
    told("agent.changed", { agentName: "partner", cardRef: "card:1" }, { agentId: "partner" }),
    fact(
      "action.required",
      { actionType: "structured_input", title: "Which clause?", schema },
      { actionId: "a1", agentId: "partner" },
    ),
  )
  expect(see("remote_teammate", state, scope).teammates[0]?.requests).toEqual([
    { actionId: "a1", actionType: "structured_input", title: "Which clause?", schema },
  ])
})

test("a remote teammate that says it needs nothing waits for nobody", () => {
  const saying = (needs: string) =>
    given(
      opened,
      told("agent.changed", { cardRef: "card:1", remoteStatus: "completed", needs }, { agentId: "partner" }),
    )
  expect(see("remote_teammate", saying("none"), scope).teammates[0]?.needs).toBeUndefined()
  expect(see("remote_teammate", saying("none"), scope).state).toBe("ready")
  expect(see("remote_teammate", saying("auth"), scope)).toMatchObject({
    state: "blocked",
    reason: "awaiting_auth",
  })
})
