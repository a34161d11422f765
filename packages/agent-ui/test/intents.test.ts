import { describe, expect, test } from "vitest"
import { runtimePorts } from "../src/adapters/runtime/commands.ts"
import {
  type AgentUiState,
  answerProblems,
  applyNote,
  availablePorts,
  controlPorts,
  createIntents,
  type Intent,
  type IntentNote,
  type OwnerPorts,
  type PortAnswer,
  type PortName,
  surfaces,
} from "../src/index.ts"
import { after, fact, given, opened, see, started, told } from "./surfaces/given.ts"
import { teamSession } from "./surfaces/scenario.ts"

type Call = { port: string; call: unknown }

/** Ports of every owner that write down what reached them. */
function desk(state: AgentUiState, answer: () => Promise<PortAnswer> = async () => ({ ok: true })) {
  const calls: Call[] = []
  const notes: IntentNote[] = []
  const names = [...new Set(Object.values(controlPorts).flat())]
  const ports: OwnerPorts = Object.fromEntries(
    names.map((port: PortName) => [
      port,
      (call: unknown) => {
        calls.push({ port, call })
        return answer()
      },
    ]),
  )
  return {
    calls,
    notes,
    ports,
    intents: createIntents({ ports, state: () => state, note: (note) => notes.push(note) }),
  }
}

const team = teamSession()
const text = [{ kind: "text", text: "hello" }] as const
const parent = { sessionId: "s1", threadId: "t1", turnId: "r1" }

const routes: readonly [string, Intent, string, object][] = [
  [
    "[UI-CTRL-1] send calls the submit port",
    { control: "send", sessionId: "s1", inputs: text, clientId: "c9" },
    "runtime.submit",
    { sessionId: "s1", inputs: text, clientId: "c9" },
  ],
  [
    "[UI-CTRL-1] queue calls the queue port",
    { control: "queue", sessionId: "s1", inputs: text, clientId: "c9" },
    "runtime.queue",
    { sessionId: "s1", inputs: text, clientId: "c9" },
  ],
  [
    "[UI-CTRL-1] steer calls the steer port",
    { control: "steer", sessionId: "s1", runId: "r1", inputs: text, clientId: "c9" },
    "runtime.steer",
    { sessionId: "s1", runId: "r1", inputs: text, clientId: "c9" },
  ],
  [
    "[UI-CTRL-2] interrupt calls the interrupt port",
    { control: "interrupt", sessionId: "s1", runId: "r1" },
    "runtime.interrupt",
    { sessionId: "s1", runId: "r1", reason: "user" },
  ],
  [
    "[UI-CTRL-3] delegate calls the team port",
    { control: "delegate", runId: "r1", agent: "coder", objective: "mend" },
    "team.delegate",
    { parent, agent: "coder", objective: "mend" },
  ],
  [
    "[UI-CTRL-4] assign calls the team port",
    { control: "assign", workItemId: "w1", assignee: "mia" },
    "team.assign",
    { workItemId: "w1", assignee: "mia", sessionId: "s1" },
  ],
  [
    "[UI-CTRL-5] continue_agent names its teammate",
    { control: "continue_agent", agentId: "tester", inputs: text },
    "team.continue",
    { agentId: "tester", parent, inputs: text },
  ],
  [
    "[UI-CTRL-5] wait takes several teammates",
    { control: "wait", agentIds: ["tester", "reviewer"], timeLimitMs: 5 },
    "team.wait",
    { agentIds: ["tester", "reviewer"], parent, timeLimitMs: 5 },
  ],
  [
    "[UI-CTRL-5] stop names its teammate",
    { control: "stop", target: { kind: "agent", id: "tester" } },
    "team.stop",
    { agentId: "tester", parent, reason: "user" },
  ],
  [
    "[UI-CTRL-5] stop of a task goes to the runtime",
    { control: "stop", target: { kind: "task", id: "task-tester" } },
    "task.stop",
    { target: { kind: "task", id: "task-tester", sessionId: "s1", threadId: "t1" }, reason: "user" },
  ],
  [
    "[UI-CTRL-5] close names its teammate",
    { control: "close", agentId: "tester", reason: "done" },
    "team.close",
    { agentId: "tester", parent, reason: "done" },
  ],
  [
    "[UI-CTRL-6] request_review calls the review port",
    { control: "request_review", target: { kind: "artifact", id: "art1" }, reviewer: "reviewer" },
    "evidence.review",
    { target: { kind: "artifact", id: "art1" }, reviewer: "reviewer" },
  ],
  [
    "[UI-CTRL-7] approve answers under the action's id, in the owner's word",
    { control: "approve", actionId: "a1" },
    "runtime.respond",
    { actionId: "a1", decision: "allow", sessionId: "s1", threadId: "t1" },
  ],
  [
    "[UI-CTRL-7] reject answers under the action's id, in the owner's word",
    { control: "reject", actionId: "a1", note: "no" },
    "runtime.respond",
    { actionId: "a1", decision: "deny", sessionId: "s1", threadId: "t1", note: "no" },
  ],
  [
    "[UI-CTRL-9] edit of an artifact calls the artifact port",
    { control: "edit", artifactId: "art1", body: "x" },
    "artifact.edit",
    { artifactId: "art1", body: "x", sessionId: "s1" },
  ],
  [
    "[UI-CTRL-10] retry of a run calls the runtime",
    { control: "retry", target: { kind: "run", id: "r1" } },
    "runtime.retry",
    { target: { kind: "run", id: "r1", sessionId: "s1", threadId: "t1" }, reason: "user" },
  ],
  [
    "[UI-CTRL-10] retry of a call calls the tool's port",
    { control: "retry", target: { kind: "tool", id: "tool1" } },
    "tool.retry",
    { target: { kind: "tool", id: "tool1", sessionId: "s1", threadId: "t1" }, reason: "user" },
  ],
  [
    "[UI-CTRL-10] retry of an artifact calls the artifact port",
    { control: "retry", target: { kind: "artifact", id: "art1" } },
    "artifact.retry",
    { artifactId: "art1", sessionId: "s1" },
  ],
  [
    "[UI-CTRL-10] retry of a teammate calls the team port",
    { control: "retry", target: { kind: "agent", id: "tester" } },
    "team.retry",
    { agentId: "tester", parent, reason: "user" },
  ],
  [
    "[UI-CTRL-11] rollback of an artifact calls the artifact port",
    { control: "rollback", artifactId: "art1", versionId: "v1" },
    "artifact.rollback",
    { artifactId: "art1", versionId: "v1", sessionId: "s1" },
  ],
  [
    "[UI-CTRL-11] rollback of a session calls the history port",
    { control: "rollback", sessionId: "s1", messageId: "m1" },
    "session.rollback",
    { sessionId: "s1", messageId: "m1" },
  ],
  [
    "[UI-CTRL-11] export of an artifact calls the artifact port",
    { control: "export", artifactId: "art1", format: "zip" },
    "artifact.export",
    { artifactId: "art1", format: "zip", sessionId: "s1" },
  ],
  [
    "[UI-CTRL-11] export of evidence calls the evidence port",
    { control: "export", sessionId: "s1", kind: "replay" },
    "evidence.export",
    { sessionId: "s1", kind: "replay" },
  ],
  [
    "[UI-CTRL-12] open_detail of an artifact reads",
    { control: "open_detail", target: { kind: "artifact", id: "art1" } },
    "artifact.read",
    { target: { kind: "artifact", id: "art1" } },
  ],
  [
    "[UI-CTRL-12] open_detail of evidence reads",
    { control: "open_detail", target: { kind: "evidence", id: "ev1" } },
    "evidence.read",
    { target: { kind: "evidence", id: "ev1" } },
  ],
  [
    "[UI-CTRL-12] open_detail of a transcript reads",
    { control: "open_detail", target: { kind: "transcript", id: "s2" } },
    "session.read",
    { target: { kind: "transcript", id: "s2" } },
  ],
  [
    "[UI-CTRL-12] open_detail of a diagnostic reads",
    { control: "open_detail", target: { kind: "diagnostic", id: "d1" } },
    "session.read",
    { target: { kind: "diagnostic", id: "d1" } },
  ],
]
test.each(routes)("%s, once", async (_, intent, port, call) => {
  const { calls, intents } = desk(team)
  expect(await intents.send(intent)).toEqual({ status: "sent" })
  expect(calls).toEqual([{ port, call }])
})
test.each(routes.map(([, intent]) => [intent.control, intent] as const))(
  "[UI-CORE-5] %s changes no fact by itself",
  async (_, intent) => {
    const before = surfaces.map((name) => JSON.stringify(see(name, team)))
    await desk(team).intents.send(intent)
    expect(surfaces.map((name) => JSON.stringify(see(name, team)))).toEqual(before)
  },
)
test.each(routes.map(([, intent]) => [intent.control, intent] as const))(
  "[UI-CORE-5] %s goes nowhere without a port",
  async (_, intent) => {
    expect(await createIntents({ ports: {}, state: () => team }).send(intent)).toEqual({
      status: "refused",
      code: "no_port",
    })
  },
)

describe("answers", () => {
  const schema = {
    type: "object",
    properties: { answer: { type: "string", minLength: 2 } },
    required: ["answer"],
    additionalProperties: false,
  }
  const asked = (payload: object, more: object = {}) =>
    given(opened, started, fact("action.required", payload, { actionId: "q", ...more }))

  test("[UI-CTRL-8] an answer that fits the schema is sent under the request's id", async () => {
    const { calls, intents } = desk(asked({ actionType: "structured_input", schema }))
    await intents.send({ control: "answer", actionId: "q", data: { answer: "yes" } })
    expect(calls).toEqual([
      {
        port: "runtime.respond",
        call: {
          actionId: "q",
          decision: "answer",
          sessionId: "s1",
          threadId: "t1",
          payload: { answer: "yes" },
        },
      },
    ])
  })
  test.each([
    [{ answer: "y" }, { path: "/answer", keyword: "minLength" }],
    [{ answer: 3 }, { path: "/answer", keyword: "type" }],
    [{}, { path: "/answer", keyword: "required" }],
    [
      { answer: "yes", more: 1 },
      { path: "/more", keyword: "additionalProperties" },
    ],
  ])("[UI-CTRL-8] %j is not sent", async (data, problem) => {
    const { calls, intents } = desk(asked({ actionType: "structured_input", schema }))
    expect(await intents.send({ control: "answer", actionId: "q", data })).toEqual({
      status: "refused",
      code: "invalid_answer",
      problems: [problem],
    })
    expect(calls).toEqual([])
  })
  test.each([
    [{ enum: ["a", 1] }, "b", "enum"],
    [{ const: { a: 1 } }, { a: 2 }, "const"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "anyOf"],
    [{ type: "integer", minimum: 2 }, 1, "minimum"],
    [{ type: ["number"], maximum: 2 }, 3, "maximum"],
    [{ type: "integer" }, 1.5, "type"],
    [{ maxLength: 1 }, "ab", "maxLength"],
    [{ pattern: "^a" }, "b", "pattern"],
    [{ type: "array", minItems: 1 }, [], "minItems"],
    [{ maxItems: 0 }, [1], "maxItems"],
    [{ type: "boolean" }, "true", "type"],
    [{ type: "null" }, 0, "type"],
    [{ type: "array" }, {}, "type"],
    [{ type: "object" }, [], "type"],
  ])("[UI-CTRL-8] %j refuses %j by %s", (rule, value, keyword) => {
    expect(answerProblems(rule, value)).toEqual([{ path: "", keyword }])
  })
  test("[UI-CTRL-8] what fits has no problem, and a pattern that is none is left to the owner", () => {
    expect(answerProblems({ items: { type: "string" }, minItems: 1, maxItems: 2 }, ["a"])).toEqual([])
    expect(answerProblems({ items: { type: "string" } }, ["a", 1])).toEqual([{ path: "/1", keyword: "type" }])
    expect(answerProblems({ pattern: "(" }, "x")).toEqual([])
    expect(answerProblems(undefined, "x")).toEqual([])
  })
  test("[UI-CTRL-9] edit of an action calls the action port", async () => {
    const { calls, intents } = desk(asked({ actionType: "plan_decision" }))
    await intents.send({ control: "edit", actionId: "q", data: { steps: ["first"] } })
    expect(calls).toEqual([
      {
        port: "runtime.respond",
        call: {
          actionId: "q",
          decision: "edit",
          sessionId: "s1",
          threadId: "t1",
          payload: { steps: ["first"] },
        },
      },
    ])
  })
  test("[UI-CTRL-7] a request of policy is answered by the policy port", async () => {
    const { calls, intents } = desk(asked({ actionType: "permission_grant" }, { owner: "policy" }))
    await intents.send({ control: "approve", actionId: "q" })
    expect(calls.map(({ port }) => port)).toEqual(["policy.respond"])
  })
  test("[UI-HITL-3] a teammate's plan is answered to the teammate, not to the parent", async () => {
    const state = asked({
      actionType: "teammate_plan_decision",
      requestedBy: { agentId: "mate", sessionId: "s2", threadId: "t2" },
    })
    const { calls, intents } = desk(state)
    await intents.send({ control: "approve", actionId: "q" })
    expect(calls[0]?.call).toEqual({
      actionId: "q",
      decision: "approve",
      sessionId: "s2",
      threadId: "t2",
      agentId: "mate",
    })
    expect(see("hitl", state).pending[0]?.requestedBy).toEqual({
      key: "agent:mate",
      name: "unknown",
      agentId: "mate",
    })
  })
  test("[UI-HITL-8] a secret reaches the port and nothing else", async () => {
    const state = asked({ actionType: "credential_request", schema })
    const { calls, notes, intents } = desk(state)
    const sent = intents.send({ control: "answer", actionId: "q", secret: "hunter2" })
    const elsewhere = JSON.stringify([
      intents.inFlight(),
      notes,
      surfaces.map((name) => see(name, state)),
      await sent,
    ])
    expect(elsewhere).not.toContain("hunter2")
    expect(calls).toEqual([
      {
        port: "runtime.respond",
        call: { actionId: "q", decision: "answer", sessionId: "s1", threadId: "t1", secret: "hunter2" },
      },
    ])
    expect(see("hitl", state).pending[0]?.secret).toBe(true)
  })
  test.each([
    ["no_target", team, { control: "approve", actionId: "none" }],
    [
      "not_open",
      after(team, fact("action.resolved", { decision: "allow" }, { actionId: "a1" })),
      { control: "approve", actionId: "a1" },
    ],
    ["not_offered", team, { control: "approve", actionId: "a1", option: "always" }],
    [
      "no_target",
      given(opened),
      { control: "steer", sessionId: "s1", runId: "r1", inputs: text, clientId: "c" },
    ],
    ["no_target", team, { control: "wait", agentIds: ["nobody"] }],
    ["no_target", team, { control: "rollback", artifactId: "art1", versionId: "v9" }],
    ["no_target", team, { control: "assign", workItemId: "none", assignee: "mia" }],
  ] as const)("[UI-CORE-5] %s: nothing is sent", async (code, state, intent) => {
    const { calls, intents } = desk(state)
    expect(await intents.send(intent)).toEqual({ status: "refused", code })
    expect(calls).toEqual([])
  })
})

test("[UI-CTRL-2] the run reads running until the runtime says otherwise", async () => {
  const state = given(opened, started)
  await desk(state).intents.send({ control: "interrupt", sessionId: "s1" })
  expect(see("runtime_status", state)).toMatchObject({ status: "accepted", runId: "r1" })
})
test("[UI-CTRL-3] the teammate appears only with its event", async () => {
  const state = given(opened, started)
  await desk(state).intents.send({ control: "delegate", runId: "r1", agent: "coder", objective: "mend" })
  expect(see("team_roster", state).teammates).toEqual([])
  expect(
    see("team_roster", after(state, fact("agent.spawned", {}, { agentId: "x" }))).teammates,
  ).toHaveLength(1)
})
test("a write under way is not sent twice, and another answer has to wait for it", async () => {
  let finish: (answer: PortAnswer) => void = () => {}
  const { calls, intents } = desk(team, () => new Promise((resolve) => (finish = resolve)))
  const first = intents.send({ control: "approve", actionId: "a1" })
  const second = intents.send({ control: "approve", actionId: "a1" })
  expect(intents.inFlight()).toEqual([{ control: "approve", key: "action a1" }])
  expect(await intents.send({ control: "reject", actionId: "a1" })).toEqual({
    status: "refused",
    code: "in_flight",
  })
  finish({ ok: true, value: 7 })
  expect([await first, await second]).toEqual([
    { status: "sent", value: 7 },
    { status: "sent", value: 7 },
  ])
  expect(calls).toHaveLength(1)
  expect(intents.inFlight()).toEqual([])
})
test("a refusal and a port that throws are told, and an answer is open again", async () => {
  const refused = desk(team, async () => ({ ok: false, code: "wrong_state", message: "Too late." }))
  expect(await refused.intents.send({ control: "approve", actionId: "a1" })).toEqual({
    status: "refused",
    code: "wrong_state",
    message: "Too late.",
  })
  expect(refused.notes).toEqual([
    { kind: "answering", actionId: "a1" },
    { kind: "answer_refused", actionId: "a1", error: "Too late." },
  ])
  const [answering, again] = refused.notes
  if (!answering || !again) throw new Error("two notes were expected")
  const waiting = applyNote(team, answering)
  expect(see("hitl", waiting).pending[0]).toMatchObject({
    status: "answering",
    controls: [{ enabled: false, reason: "awaiting_confirmation" }, {}],
  })
  expect(see("hitl", applyNote(waiting, again)).pending[0]).toMatchObject({
    status: "pending",
    error: "Too late.",
  })
  const broken = desk(team, () => Promise.reject(new Error("boom")))
  expect(
    await broken.intents.send({ control: "send", sessionId: "s1", inputs: text, clientId: "c7" }),
  ).toEqual({ status: "refused", code: "outcome_unknown" })
  expect(broken.notes.map(({ kind }) => kind)).toEqual(["submitted", "not_submitted"])
})
test.each([
  ["send", 1],
  ["queue", 0],
] as const)("[UI-CORE-5] only the person's own text shows in advance: %s", async (control, shown) => {
  const state = given(opened)
  const { notes, intents } = desk(state)
  await intents.send({ control, sessionId: "s1", inputs: text, clientId: "c7" })
  const seen = notes.reduce(applyNote, state)
  expect(see("conversation", seen).messages).toHaveLength(shown)
  const echoed = after(
    seen,
    told("text.final", { text: "hello", role: "user", clientId: "c7" }, { messageId: "m7" }),
  )
  expect(
    see("conversation", echoed).messages.map(({ messageId, optimistic }) => [messageId, optimistic]),
  ).toEqual([["m7", false]])
})
test("[UI-LIFE-1] only a draft that its owner keeps is represented", () => {
  const drafted = given(
    opened,
    told("state.snapshot", { state: { draft: "half a" } }, { scope: "session", phase: "draft" }),
    told(
      "state.delta",
      { patch: [{ op: "replace", path: "/draft", value: "half a thought" }] },
      { scope: "session", phase: "draft" },
    ),
  )
  expect(see("composer", drafted)).toMatchObject({ draft: "half a thought", state: "ready" })
  expect(see("composer", given(opened)).draft).toBeUndefined()
})
test.each([
  ["transcript", "session.read"],
  ["tool", "session.read"],
  ["artifact", "artifact.read"],
  ["evidence", "evidence.read"],
  ["task", "session.read"],
  ["session", "session.read"],
] as const)("[UI-HYD-3] %s detail is read only when it is opened", async (kind, port) => {
  const { calls, intents } = desk(team)
  for (const name of surfaces) see(name, team)
  expect(calls).toEqual([])
  await intents.send({ control: "open_detail", target: { kind, id: "x", sessionId: "s1" }, before: "cur" })
  expect(calls.map((call) => call.port)).toEqual([port])
})

describe("the runtime's commands", () => {
  const scope = { session_id: "s1", thread_id: "t1", turn_id: "r1" }
  const child = { ...scope, subagent_id: "tester" }
  const told: readonly [Intent, string, object][] = [
    [
      { control: "send", inputs: text, clientId: "c" },
      "submit_turn",
      { create: "session", input: text, metadata: { client_id: "c" } },
    ],
    [
      { control: "send", sessionId: "s1", inputs: text, clientId: "c" },
      "submit_turn",
      { session_id: "s1", create: "thread", input: text, metadata: { client_id: "c" } },
    ],
    [
      {
        control: "queue",
        sessionId: "s1",
        threadId: "t1",
        inputs: [
          { kind: "file", ref: "blob:1", mediaType: "text/plain" },
          { kind: "business", ref: "crm:1" },
        ],
        clientId: "c",
        mode: "ask",
      },
      "submit_turn",
      {
        session_id: "s1",
        thread_id: "t1",
        when: "queue",
        options: { mode: "ask" },
        input: [
          { kind: "document", ref: { kind: "blob", uri: "blob:1", media_type: "text/plain" } },
          { kind: "business", ref: { kind: "record", uri: "crm:1" } },
        ],
        metadata: { client_id: "c" },
      },
    ],
    [
      { control: "steer", sessionId: "s1", threadId: "t1", runId: "r1", inputs: text, clientId: "c" },
      "submit_turn",
      {
        session_id: "s1",
        thread_id: "t1",
        turn_id: "r1",
        when: "steer",
        input: text,
        metadata: { client_id: "c" },
      },
    ],
    [
      { control: "interrupt", sessionId: "s1", threadId: "t1", runId: "r1" },
      "interrupt_turn",
      { ...scope, reason: "user" },
    ],
    [
      { control: "approve", actionId: "a1" },
      "respond_action",
      { action_id: "a1", decision: "allow", session_id: "s1" },
    ],
    [
      { control: "delegate", runId: "r1", agent: "coder", objective: "mend", inputs: text },
      "spawn_subagent",
      { ...scope, agent: "coder", objective: "mend", input: text },
    ],
    [
      { control: "continue_agent", agentId: "tester", inputs: text },
      "send_subagent_input",
      { ...child, input: text },
    ],
    [{ control: "wait", agentIds: ["tester"] }, "wait_subagents", { ...scope, subagent_ids: ["tester"] }],
    [
      { control: "stop", target: { kind: "agent", id: "tester" } },
      "close_subagent",
      { ...child, reason: "user" },
    ],
    [{ control: "close", agentId: "tester" }, "close_subagent", { ...child, reason: "user" }],
    [
      { control: "retry", target: { kind: "agent", id: "tester" } },
      "resume_subagent",
      { ...child, reason: "user" },
    ],
    [
      { control: "stop", target: { kind: "task", id: "task-tester" } },
      "cancel_task",
      { task_id: "task-tester", session_id: "s1", reason: "user" },
    ],
    [{ control: "stop", target: { kind: "job", id: "j" } }, "cancel_job", { job_id: "j", reason: "user" }],
    [
      { control: "stop", target: { kind: "process", id: "p" } },
      "terminate_process",
      { process_id: "p", reason: "user" },
    ],
    [{ control: "stop", target: { kind: "run", id: "r1" } }, "interrupt_turn", { ...scope, reason: "user" }],
    [
      { control: "stop", target: { kind: "queued_turn", id: "q1", sessionId: "s1", threadId: "t1" } },
      "remove_queued_turn",
      { queued_turn_id: "q1", session_id: "s1", thread_id: "t1" },
    ],
    [
      { control: "retry", target: { kind: "task", id: "task-tester" } },
      "retry_task",
      { task_id: "task-tester", session_id: "s1", reason: "user" },
    ],
    [
      { control: "assign", workItemId: "w1", assignee: "mia" },
      "update_task",
      { task_id: "w1", session_id: "s1", changes: { assignee: "mia" } },
    ],
    [{ control: "export", sessionId: "s1", kind: "evidence" }, "export_evidence", { session_id: "s1" }],
    [{ control: "export", sessionId: "s1", kind: "review" }, "export_review", { session_id: "s1" }],
    [
      { control: "open_detail", target: { kind: "transcript", id: "s2" }, before: "c" },
      "get_session",
      { session_id: "s2", before: "c" },
    ],
    [
      { control: "open_detail", target: { kind: "task", id: "task-tester" } },
      "get_task",
      { task_id: "task-tester", session_id: "s1" },
    ],
    [{ control: "open_detail", target: { kind: "job", id: "j" } }, "get_job", { job_id: "j" }],
  ]
  const sender = () => {
    const sent: unknown[] = []
    const ports = runtimePorts(
      async (name, input) => {
        sent.push([name, input])
        return { ok: true }
      },
      async () => ({ kind: "record", uri: "secret:1" }),
    )
    return { sent, ports }
  }
  test.each(told)("%j is %s", async (intent, name, input) => {
    const { sent, ports } = sender()
    expect(await createIntents({ ports, state: () => team }).send(intent)).toEqual({ status: "sent" })
    expect(sent).toEqual([[name, input]])
  })
  test("[UI-SURF-26] what a host does not carry out is no port, and is offered as such", async () => {
    const send = async () => ({ ok: true }) as const
    const names = (...carriedOut: string[]) => [
      ...availablePorts(runtimePorts(send, undefined, new Set(carriedOut))),
    ]
    expect(names()).toEqual([])
    expect(names("submit_turn", "respond_action")).toEqual([
      "runtime.submit",
      "runtime.queue",
      "runtime.steer",
      "runtime.respond",
      "runtime.retry",
    ])
    expect(names("interrupt_turn", "remove_queued_turn")).toEqual(["runtime.interrupt"])
    const able = availablePorts(runtimePorts(send, undefined, new Set(["submit_turn"])))
    expect(see("team_roster", team, { sessionId: "s1" }, able).controls).toContainEqual({
      control: "delegate",
      enabled: false,
      reason: "no_port",
    })
  })
  test("a task that a host cannot read alone is read with its session", async () => {
    const sent: unknown[] = []
    const ports = runtimePorts(
      async (name, input) => {
        sent.push([name, input])
        return { ok: true }
      },
      undefined,
      new Set(["get_session"]),
    )
    await createIntents({ ports, state: () => team }).send({
      control: "open_detail",
      target: { kind: "task", id: "task-tester" },
    })
    expect(sent).toEqual([["get_session", { session_id: "s1" }]])
  })
  test("a turn that failed is asked again with what the person wrote", async () => {
    const state = given(
      opened,
      fact("text.final", { text: "mend it", role: "user" }, { messageId: "m1" }),
      fact("run.failed", { retryable: true }),
    )
    const { sent, ports } = sender()
    await createIntents({ ports, state: () => state }).send({
      control: "retry",
      target: { kind: "run", id: "r1" },
      clientId: "again",
    })
    expect(sent).toEqual([
      [
        "submit_turn",
        {
          session_id: "s1",
          thread_id: "t1",
          input: [{ kind: "text", text: "mend it" }],
          metadata: { client_id: "again" },
        },
      ],
    ])
  })
  test("[UI-HITL-8] a secret becomes a ref before the command", async () => {
    const state = given(
      opened,
      fact("action.required", { actionType: "credential_request" }, { actionId: "q" }),
    )
    const { sent, ports } = sender()
    await createIntents({ ports, state: () => state }).send({
      control: "answer",
      actionId: "q",
      secret: "hunter2",
    })
    expect(sent).toEqual([
      [
        "respond_action",
        {
          action_id: "q",
          decision: "answer",
          session_id: "s1",
          payload_ref: { kind: "record", uri: "secret:1" },
        },
      ],
    ])
  })
  test.each([
    [{ control: "retry", target: { kind: "tool", id: "tool1" } }, "no_port"],
    [{ control: "stop", target: { kind: "tool", id: "tool1" } }, "no_port"],
    [{ control: "retry", target: { kind: "run", id: "r9" } }, "invalid_input"],
    [{ control: "close", agentId: "nightly" }, "invalid_input"],
  ] as const)("%j is refused, not guessed", async (intent, code) => {
    const { sent, ports } = sender()
    expect(await createIntents({ ports, state: () => team }).send(intent)).toMatchObject({
      status: "refused",
      code,
    })
    expect(sent).toEqual([])
  })
})
