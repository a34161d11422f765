import { expect, test } from "vitest"
import {
  type AgentUiState,
  changeLocal,
  createViews,
  readText,
  type SurfaceName,
  surfaces,
  type View,
  type ViewScope,
} from "../../src/index.ts"
import { share } from "../../src/surfaces/memo.ts"
import { wordKeys } from "../../src/surfaces/word-keys.ts"
import { after, allPorts, at, fact, given, opened, told } from "./given.ts"
import { teamSession } from "./scenario.ts"

const scope: ViewScope = { sessionId: "s1", agentId: "researcher" }

function watch(before: AgentUiState, next: AgentUiState) {
  const made: SurfaceName[] = []
  const views = createViews((surface) => made.push(surface))
  const all = (state: AgentUiState) =>
    new Map<SurfaceName, View>(surfaces.map((name) => [name, views.of(name, state, scope, allPorts)]))
  const first = all(before)
  made.length = 0
  const second = all(next)
  return { made: [...made], changed: surfaces.filter((name) => first.get(name) !== second.get(name)) }
}

const state = teamSession()

test.each(surfaces)("[UI-PERF-2] %s keeps its reference when nothing that it reads changed", (surface) => {
  const made: string[] = []
  const views = createViews((name) => made.push(name))
  const first = views.of(surface, state, scope, allPorts)
  expect(views.of(surface, { ...state, revision: state.revision + 1 }, { ...scope }, allPorts)).toBe(first)
  expect(made).toEqual([surface])
})

const elsewhere = [
  { type: "run.started", sessionId: "s8", runId: "r8", timestamp: at(999) },
  { type: "tool.started", sessionId: "s8", runId: "r8", toolCallId: "t8", payload: { toolName: "x" } },
  { type: "text.delta", sessionId: "s8", runId: "r8", messageId: "m8", payload: { delta: "x" } },
  {
    type: "action.required",
    sessionId: "s8",
    runId: "r8",
    actionId: "a8",
    payload: { actionType: "clarification" },
  },
  { type: "task.changed", sessionId: "s8", taskId: "k8", payload: { status: "running" } },
  { type: "agent.changed", sessionId: "s8", agentId: "g8", payload: { status: "running" } },
  { type: "artifact.created", sessionId: "s8", artifactId: "f8", payload: { kind: "code" } },
]
test.each(surfaces.filter((name) => name !== "session_tabs"))(
  "[UI-PERF-2] %s keeps its reference while another session works",
  (surface) => {
    expect(watch(state, after(state, ...elsewhere)).changed).not.toContain(surface)
  },
)

test.each([
  [
    "a piece of text",
    fact("text.delta", { delta: " more" }, { messageId: "m2", partId: "p2" }),
    ["conversation", "teammate_transcript", "remote_teammate"],
    ["conversation"],
  ],
  [
    "a diagnostic",
    fact("diagnostic.changed", { diagnosticId: "d2", code: "x" }),
    ["diagnostics"],
    ["diagnostics"],
  ],
  [
    "a review",
    told("review.completed", { reviewId: "rev1", verdict: "passed" }),
    ["inline_process", "timeline_evidence", "review_lane"],
    ["inline_process", "timeline_evidence", "review_lane"],
  ],
  [
    "a queue",
    told("queue.changed", { policy: "steer" }),
    ["composer", "conversation", "task_capsule", "teammate_transcript"],
    ["composer"],
  ],
] as const)("[UI-PERF-2] %s touches only the views that read it", (_, event, reads, shows) => {
  const { made, changed } = watch(state, after(state, event))
  expect(made.toSorted()).toEqual(reads.toSorted())
  expect(changed.toSorted()).toEqual(shows.toSorted())
})

test("[UI-PERF-2] messages and blocks that did not grow keep their reference", () => {
  const views = createViews()
  const first = views.of("conversation", state, scope, allPorts)
  const second = views.of(
    "conversation",
    after(state, fact("text.delta", { delta: "!" }, { messageId: "m2", partId: "p2" })),
    scope,
    allPorts,
  )
  expect(second.messages[0]).toBe(first.messages[0])
  expect(second.messages[1]).not.toBe(first.messages[1])
  expect(second.messages[1]?.text[0]?.blocks.join("")).toBe("The token check compared…!")
  expect(readText({ blocks: second.messages[1]?.text[0]?.blocks ?? [], length: 0 })).toContain("compared")
})
test("[UI-PERF-2] a long thread gives a window, however long it is", () => {
  const events = Array.from({ length: 300 }, (_, i) =>
    told("text.final", { text: `${i}`, role: "user" }, { messageId: `m${i}` }),
  )
  const long = given(opened, ...events)
  const views = createViews()
  const view = views.of("conversation", long, { sessionId: "s1" }, allPorts)
  expect([view.messages.length, view.total, view.from, view.to]).toEqual([100, 300, 200, 300])
  const older = views.of("conversation", long, { sessionId: "s1", window: { from: 10, to: 12 } }, allPorts)
  expect(older.messages.map(({ messageId }) => messageId)).toEqual(["m10", "m11"])
})
test("[UI-PERF-2] the reader's clock matters only where something can be over", () => {
  const made: string[] = []
  const views = createViews((name) => made.push(name))
  for (const now of ["2026-01-01", "2027-01-01"])
    for (const name of surfaces) views.of(name, state, { ...scope, now }, allPorts)
  expect(made.slice(surfaces.length).toSorted()).toEqual([
    "background_teammate",
    "hitl",
    "inline_process",
    "timeline_evidence",
  ])
})
test("[UI-PERF-2] a local choice changes only what shows it", () => {
  const { changed } = watch(state, changeLocal(state, { kind: "collapse", id: "tool2" }))
  expect(changed).toEqual(["inline_process", "tool_ui"])
})

test("what is equal is taken from before, what is not is new", () => {
  const before = { a: { b: [1, { c: 2 }] }, d: "x" }
  const next = share(before, { a: { b: [1, { c: 2 }] }, d: "y" })
  expect(next).toEqual({ a: { b: [1, { c: 2 }] }, d: "y" })
  expect(next.a).toBe(before.a)
  expect(share(before, structuredClone(before))).toBe(before)
  expect(share([1], { 0: 1 })).toEqual({ 0: 1 })
  expect(share({ a: undefined, b: 1 }, { b: 1, c: undefined })).toEqual({ b: 1, c: undefined })
  const hostile = JSON.parse('{"__proto__":{"x":1}}')
  expect(share({}, hostile)).toBe(hostile)
})

test("items of a list keep their reference when others come before or after them", () => {
  const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => ({ id, text: [id] }))
  const first = share(undefined, [b, c])
  const earlier = share(first, [a, b, c])
  const later = share(earlier, [a, b, c, d])
  expect([earlier, later].map((list) => list.indexOf(b))).toEqual([1, 1])
  expect(later.map((item, at) => item === [a, b, c, d][at])).toEqual([true, true, true, true])
})

test("an equal item in another's place is compared once, and what stood there stays", () => {
  const before = [{ id: "a", text: ["long"] }]
  const again = structuredClone(before)
  const kept = share(before, again)
  expect(kept).toBe(before)
  const grown = share(kept, [...again, { id: "b", text: [] }])
  expect(grown[0]).toBe(before[0])
})

test("[UI-I18N-1] there is one key for every surface, control, status and fallback state", () => {
  const keys = wordKeys()
  expect(new Set(keys).size).toBe(keys.length)
  const wanted = [
    "surface.composer",
    "empty.team_policy",
    "control.open_detail",
    "state.unavailable",
    "state.stale",
    "status.teammate.plan_ready",
    "status.remote_task.auth_required",
    "tool.unknown",
    "actionType.credential_request",
    "run.retrying",
    "reason.no_port",
    "phase.hydrating",
    "topology.solo_run",
    "entity.work_item",
  ]
  expect(wanted.filter((key) => !keys.includes(key))).toEqual([])
})
test("[UI-I18N-1] every reason and state that a view carries has its key", () => {
  const keys = new Set(wordKeys())
  const missing: string[] = []
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if ("controls" in value && "state" in value) {
      if (!keys.has(`state.${value.state}`)) missing.push(`state.${value.state}`)
      if ("reason" in value && !keys.has(`reason.${value.reason}`)) missing.push(`reason.${value.reason}`)
    }
    for (const inner of Object.values(value)) look(inner)
  }
  const views = createViews()
  for (const name of surfaces) look(views.of(name, state, scope, allPorts))
  expect(missing).toEqual([])
})
