import fc from "fast-check"
import type { Loose } from "./given.ts"

/** One thing that happens in a session, with ids from a small world, so that things meet. */
const id = (prefix: string, count: number) => fc.integer({ min: 1, max: count }).map((at) => `${prefix}${at}`)
const word = fc.constantFrom("", "a", "lo ", "\n", "😀", "Hel", "wörld ")
const phase = fc.constantFrom(
  undefined,
  "accepted",
  "acting",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
)

const kinds: fc.Arbitrary<Loose>[] = [
  fc.record({
    type: fc.constantFrom("text.delta", "text.final"),
    messageId: id("m", 3),
    partId: fc.option(id("p", 2), { nil: undefined }),
    payload: fc.record({ delta: word, text: word }),
  }),
  fc.record({
    type: fc.constantFrom("reasoning.delta", "reasoning.summary"),
    messageId: id("m", 3),
    payload: fc.record({ delta: word, summary: word }),
  }),
  fc.record({
    type: fc.constantFrom(
      "tool.started",
      "tool.args",
      "tool.progress",
      "tool.output.delta",
      "tool.result",
      "tool.failed",
    ),
    toolCallId: id("t", 3),
    messageId: fc.option(id("m", 3), { nil: undefined }),
    payload: fc.record({ delta: word, note: word }),
  }),
  fc.record({
    type: fc.constantFrom("action.required", "action.resolved"),
    actionId: id("x", 2),
    payload: fc.record({ title: word, decision: word }),
  }),
  fc.record({
    type: fc.constantFrom("run.started", "run.status", "run.finished", "run.failed"),
    phase,
    payload: fc.record({ status: word }),
  }),
  fc.record({
    type: fc.constantFrom("agent.spawned", "agent.changed", "agent.completed"),
    agentId: id("a", 2),
    payload: fc.record({ status: fc.constantFrom("running", "idle", "completed") }),
  }),
  fc.record({
    type: fc.constant("task.changed"),
    taskId: id("k", 2),
    payload: fc.record({ status: fc.constantFrom("open", "commented", "done"), title: word }),
  }),
  fc.record({
    type: fc.constantFrom(
      "artifact.created",
      "artifact.version.created",
      "artifact.failed",
      "artifact.deleted",
    ),
    artifactId: id("f", 2),
    payload: fc.record({ versionId: id("v", 3), title: word }),
  }),
  fc.record({
    type: fc.constantFrom("plan.delta", "plan.final"),
    payload: fc.record({ planId: id("n", 2), delta: word, text: word }),
  }),
  fc.record({
    type: fc.constantFrom("context.compaction.started", "context.compaction.completed"),
    payload: fc.record({ summary: word }),
  }),
  fc.record({
    type: fc.constant("state.delta"),
    payload: fc.record({
      patch: fc.array(
        fc.record({
          op: fc.constantFrom("add", "remove"),
          path: fc.constantFrom("/a", "/b"),
          value: fc.integer(),
        }),
        { maxLength: 2 },
      ),
    }),
  }),
  fc.record({
    type: fc.constantFrom(
      "queue.changed",
      "team.changed",
      "worker.notification",
      "review.requested",
      "review.completed",
      "evidence.changed",
      "metric.changed",
      "diagnostic.changed",
      "acme.other",
    ),
    evidenceId: id("e", 2),
    payload: fc.record({ reviewId: id("v", 2), summary: word, name: word, value: fc.integer() }),
  }),
]

const happening = fc
  .tuple(fc.oneof(...kinds), id("r", 2), fc.constantFrom(undefined, "ephemeral_live", "transcript"))
  .map(
    ([event, runId, persistence]): Loose => ({
      sessionId: "s1",
      runId,
      ...event,
      ...(persistence ? { persistence } : {}),
    }),
  )

/** The frames of one session, in order; one fact may be none, one or two events. */
export const session = fc
  .array(fc.array(happening, { minLength: 0, maxLength: 2 }), { minLength: 1, maxLength: 40 })
  .map((facts) => facts.map((events, at) => ({ stream: "s1", sequence: at + 1, events })))
