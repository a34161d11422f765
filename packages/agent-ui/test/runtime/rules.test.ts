import type { Envelope } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { fact } from "../../../facts/test/given.ts"
import { onTurn, preview } from "../../../facts/test/samples.ts"
import { fromRuntime } from "../../src/adapters/runtime/index.ts"
import type { AgentUiEnvelope } from "../../src/envelope.ts"
import { type AgentUiState, availablePorts, emptyState, reduce, surfaceTable } from "../../src/index.ts"
import { runtimeEntities } from "../../src/taxonomy.ts"

const eventsOf = (one: Envelope): readonly AgentUiEnvelope[] => fromRuntime(one).events
const typesOf = (one: Envelope) => eventsOf(one).map(({ type }) => type)
const isUserWord = ({ payload }: AgentUiEnvelope) =>
  payload?.role === "user" || JSON.stringify(payload ?? {}).includes('"role":"user"')

describe("what workers report", () => {
  const sources = ["worker", "subagent", "teammate", "task", "job", "automation", "notification", "runtime"]
  test.each(sources)("[UI-CORE-12] input from %s is a notification and no user message", (source) => {
    const turn = fact("turn.submitted", {
      payload: { source: `${source}:sub_7`, input: [{ kind: "text", text: "Done" }] },
    })
    const events = eventsOf(turn)
    expect(events.filter(isUserWord)).toEqual([])
    expect(events.at(-1)).toMatchObject({
      type: "worker.notification",
      agentId: "sub_7",
      payload: { summary: "Done" },
    })
  })
  test("[UI-CORE-12] a notification that claims to come from the user is still none of the user's words", () => {
    const metadata = { notification: { agent_id: "sub_7", summary: "All green" } }
    const events = eventsOf(fact("turn.submitted", { payload: { source: "user", metadata } }))
    expect(events.filter(isUserWord)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: "worker.notification", payload: { summary: "All green" } })
  })
  test("[UI-CORE-12] a child's result is a notification beside its own end", () => {
    const events = eventsOf(fact("subagent.completed", { payload: { preview } }))
    expect(events.map(({ type }) => type)).toEqual(["worker.notification", "agent.completed"])
    expect(events.filter(isUserWord)).toEqual([])
  })
  test.each(["user", "cli", "ana"])("[UI-CORE-12] what %s says is a user message", (source) => {
    expect(eventsOf(fact("turn.submitted", { payload: { source } })).filter(isUserWord)).toHaveLength(1)
  })
})

describe("source facts", () => {
  test("[UI-PART-27] model.delta maps to text", () => {
    expect(eventsOf(fact("model.delta"))).toMatchObject([
      { type: "text.delta", messageId: "trn_1:answer", partId: "req_1:text:p1", payload: { delta: "Hel" } },
    ])
  })
  test("[UI-PART-27] the final text maps to the same part", () => {
    expect(eventsOf(fact("model.completed"))).toMatchObject([
      { type: "text.final", messageId: "trn_1:answer", partId: "req_1:text:p1", payload: { text: "Hello" } },
    ])
  })
  test.each([
    ["runtime.warning", "warning"],
    ["runtime.error", "error"],
  ] as const)("[UI-PART-27] %s maps to a diagnostic that the answer refers to", (type, severity) => {
    expect(eventsOf(fact(type, onTurn))).toMatchObject([
      {
        type: "diagnostic.changed",
        messageId: "trn_1:answer",
        partId: "evt_1",
        payload: { diagnosticId: "evt_1", severity },
      },
    ])
  })
})

describe("queue and parallelism", () => {
  const facts = {
    team_phase: ["teamPhase", "merging"],
    team_parallel_budget: ["teamParallelBudget", 4],
    team_active_count: ["teamActiveCount", 3],
    team_queued_count: ["teamQueuedCount", 2],
    provider_concurrency_group: ["providerConcurrencyGroup", "acme-eu"],
    provider_parallel_budget: ["providerParallelBudget", 8],
    queue_reason: ["queueReason", "budget"],
    retryable_overload: ["retryableOverload", false],
  } as const
  test.each(Object.entries(facts))("[UI-ENTITY-6] %s survives as %s", (name, [as, value]) => {
    const carriers = [
      fact("run.status", { payload: { metadata: { [name]: value } } }),
      fact("queue.changed", { payload: { [name]: value } as never }),
      fact("task.created", { payload: { profile: { [name]: value } } }),
      fact("task.queued", { payload: { [name]: value } as never }),
      fact("turn.submitted", { payload: { metadata: { [name]: value } } }),
      fact("job.created", { payload: { [name]: value } as never }),
    ]
    for (const one of carriers) expect(eventsOf(one)[0]?.payload).toMatchObject({ [as]: value })
  })
  test("[UI-ENTITY-6] what was not given has no key, and a value of another type is not taken for it", () => {
    const payload = { metadata: { team_phase: 3, team_active_count: "3", retryable_overload: "no" } }
    const keys = Object.keys(eventsOf(fact("run.status", { payload }))[0]?.payload ?? {})
    expect(keys).toEqual(["status", "runtimeStatus", "runtimeEntity", "title", "detail", "checkpoints"])
  })
})

describe("runtime entities", () => {
  const sources: Readonly<Record<string, Envelope>> = {
    agent_turn: fact("turn.started"),
    subagent_turn: fact("subagent.spawned"),
    automation_job: fact("job.created"),
    external_task: fact("task.delegated", { payload: { to: "peer", to_id: "peer-1", native_task_id: "n1" } }),
    work_item: fact("task.created"),
  }
  test("all five have a source", () => expect(Object.keys(sources)).toEqual([...runtimeEntities]))
  test.each(Object.entries(sources))("%s is named by its source", (entity, one) => {
    for (const { payload } of eventsOf(one)) expect(payload).toMatchObject({ runtimeEntity: entity })
  })
})

describe("classes that are not the runtime's", () => {
  const at = { event_id: "evt_9", timestamp: "2026-01-01T00:00:09.000Z", sequence: 9, schema_version: 1 }
  const vendor = (type: string, payload: Record<string, unknown> = {}): Envelope => ({
    ...at,
    ...onTurn,
    type,
    payload,
  })
  test.each(["x-acme.thing", "made.up", "__proto__", "constructor", "x-agent-ui.no.such"])(
    "[RT-EVT-31] %s survives as it is",
    (type) => {
      expect(fromRuntime(vendor(type, { deep: { own_key: [1] } }))).toEqual({
        stream: "ses_1",
        sequence: 9,
        events: [
          {
            type,
            sequence: 9,
            timestamp: at.timestamp,
            sessionId: "ses_1",
            threadId: "thr_1",
            turnId: "trn_1",
            runId: "trn_1",
            rawEventRef: "evt_9",
            payload: { deep: { own_key: [1] } },
          },
        ],
      })
    },
  )
  test("a class of Agent UI travels under a vendor's type, in the runtime's spelling", () => {
    const payload = {
      envelope: {
        agent_id: "writer",
        owner: "agent",
        topology: "specialist_handoff",
        session_id: "other",
        refs: { doc: "d" },
      },
      payload: { handoff_id: "hof_1", from: "lead", to: "writer", resume_target: "lead" },
    }
    expect(eventsOf(vendor("x-agent-ui.agent.handoff", payload))).toEqual([
      {
        type: "agent.handoff",
        sequence: 9,
        timestamp: at.timestamp,
        sessionId: "ses_1",
        threadId: "thr_1",
        turnId: "trn_1",
        runId: "trn_1",
        rawEventRef: "evt_9",
        agentId: "writer",
        owner: "agent",
        topology: "specialist_handoff",
        refs: { doc: "d" },
        payload: { handoffId: "hof_1", from: "lead", to: "writer", resumeTarget: "lead" },
      },
    ])
  })
  test("a carrier without content gives an empty event", () => {
    expect(eventsOf(vendor("x-agent-ui.team.changed", { envelope: [], payload: "no" }))).toMatchObject([
      { type: "team.changed", payload: {} },
    ])
  })
})

describe("frames", () => {
  test("a fact of no session belongs to the stream of its runtime", () => {
    expect(fromRuntime(fact("limit.changed")).stream).toBe("rtm_1")
    const { runtime_id: _, ...nameless } = fact("limit.changed")
    expect(fromRuntime(nameless).stream).toBe("runtime")
  })
  test("the range that a final fact stands for is carried", () => {
    expect(
      fromRuntime(fact("tool.result", { payload: { supersedes: { from: 2, to: 4 } } })).supersedes,
    ).toEqual({
      from: 2,
      to: 4,
    })
    expect(fromRuntime(fact("tool.result"))).not.toHaveProperty("supersedes")
    expect(
      fromRuntime(fact("tool.result", { payload: { supersedes: { from: 2 } as never } })),
    ).not.toHaveProperty("supersedes")
  })
  test("a fact that does not fit its class is told and harms nothing", () => {
    const broken = { ...fact("turn.submitted"), payload: {} }
    expect(eventsOf(broken)).toMatchObject([
      { type: "diagnostic.changed", payload: { code: "invalid_fact" } },
    ])
  })
  test("a tool's outcome says nothing about its turn", () => {
    expect(typesOf(fact("tool.result"))).toEqual(["tool.result"])
    expect(typesOf(fact("tool.failed"))).toEqual(["tool.failed"])
  })
})

describe("what work costs", () => {
  const usage = { input_tokens: 10, output_tokens: 5 }
  const cost = (request_id: string, amount: number, more: object = {}): Envelope => ({
    ...fact("cost.recorded", { ...onTurn, payload: { request_id, amount, currency: "USD", usage } }),
    ...more,
  })
  const told = cost("req_child", 0.25, { subagent_id: "sub_1" })
  const from = { session_id: "ses_child", sequence: 7 }
  const child: Envelope = { ...told, payload: { ...told.payload, from } }
  const asFrames = (facts: readonly Envelope[]) =>
    facts.map((one, at) => fromRuntime({ ...one, event_id: `evt_${at + 1}`, sequence: at + 1 }))
  const meter = (state: AgentUiState) =>
    surfaceTable.runtime_status.select(state, { sessionId: onTurn.session_id }, availablePorts({})).cost

  test("[RT-COST-2] the meter of a session counts what its children cost, once", () => {
    const once = reduce(emptyState(), asFrames([cost("req_1", 0.5), child]))
    expect(meter(once)).toMatchObject({ used: 0.75, unit: "USD" })
    const twice = reduce(emptyState(), asFrames([cost("req_1", 0.5), child, child]))
    expect(meter(twice)).toMatchObject({ used: 0.75 })
  })
  test("[RT-COST-2] a page that is loaded anew in the middle shows the same", () => {
    const [first, ...rest] = asFrames([cost("req_1", 0.5), child, cost("req_2", 1)])
    const frames = first === undefined ? [] : [first]
    const late = reduce(reduce(emptyState(), frames), [...frames, ...rest])
    expect(meter(late)).toMatchObject({ used: 1.75 })
  })
  test("what a summary is made of is said to nobody", () => {
    const summary = fact("model.completed", { payload: { compaction_id: "cmp_1" } })
    expect(eventsOf(summary)).toEqual([])
    const failed = fact("model.failed", { payload: { compaction_id: "cmp_1" } })
    expect(typesOf(failed)).toEqual(["diagnostic.changed"])
  })
})
