import type { AgentUiEnvelope } from "@factum/agent-ui"
import type { Seen } from "./report.ts"
import { exercised, fault, of, type Shown } from "./shown.ts"

/** UI-CHECK-11: what teammates and tasks are doing is told by their owners, and no report says otherwise. */
export function followsFacts(all: Shown): Seen {
  const told = of(all, "agent.spawned", "agent.changed", "agent.completed", "task.changed", "team.changed")
  const reports = of(all, "worker.notification").filter(({ event }) => endOf(event) !== undefined)
  return exercised(told.length + reports.length, [
    ...told
      .filter(({ event }) => event.owner === "model")
      .map((one) => fault(one, "What a model says is no fact about a teammate or a task.")),
    ...reports.flatMap((one) => {
      const { agentId, taskId } = one.event
      const who = agentId ?? taskId
      const facts = told.filter(
        ({ event }) => who !== undefined && who === (agentId ? event.agentId : event.taskId),
      )
      if (facts.length === 0) return [fault(one, `It reports of ${who ?? "nobody"}, of whom no fact tells.`)]
      // A worker may fail and succeed at its next attempt: any of its ends will do.
      const ends = facts.flatMap(({ event }) => endOf(event) ?? [])
      return ends.length === 0 || ends.some((end) => end === endOf(one.event))
        ? []
        : [fault(one, `It reports of ${who} the opposite of what the facts tell.`)]
    }),
  ])
}

/** Whether an event tells of a good or a bad end. */
function endOf({ payload, phase }: AgentUiEnvelope): "good" | "bad" | undefined {
  const words = [payload?.kind, payload?.outcome, payload?.status, phase].map(String)
  if (words.some((word) => bad.has(word))) return "bad"
  return words.some((word) => good.has(word)) ? "good" : undefined
}
const good = new Set(["result", "success", "completed", "done"])
const bad = new Set(["failure", "failed", "kill", "killed", "cancelled", "interrupted", "timed_out"])

export function toldTopology(all: Shown): Seen {
  const working = all.events.filter(({ event }) => isTeamwork.test(event.type))
  const isTold = all.events.some(({ event }) => event.topology !== undefined)
  const [first] = working
  return exercised(
    working.length,
    isTold || first === undefined ? [] : [fault(first, "A team works and no event tells its topology.")],
  )
}
const isTeamwork = /^(agent|team|review)\./

export function apartNotifications(all: Shown): Seen {
  const told = of(all, "worker.notification")
  const said = of(all, "text.final", "text.delta").filter(({ event }) => event.payload?.role === "user")
  const summaries = new Set<unknown>(
    told.map(({ event }) => event.payload?.summary).filter((text) => typeof text === "string"),
  )
  const masked = said.filter(
    ({ event }) =>
      summaries.has(event.payload?.text) || /^<(task|worker)-notification/.test(String(event.payload?.text)),
  )
  return exercised(
    told.length + masked.length,
    masked.map((one) => fault(one, "What a worker reported stands as a word of the user.")),
  )
}

export function lineage(all: Shown): Seen {
  const spawned = of(all, "agent.spawned")
  return exercised(
    spawned.length,
    spawned
      .filter(({ event }) => event.parentSessionId === undefined)
      .map((one) => fault(one, "The child names no parent session.")),
  )
}

export function namedRequesters(all: Shown): Seen {
  const delegated = of(all, "action.required").filter(({ event }) =>
    /^(delegated_permission|teammate_plan_decision)$/.test(String(event.payload?.actionType)),
  )
  const nameless = delegated.filter(({ event }) => {
    const by = event.payload?.requestedBy
    return !(typeof by === "object" && by !== null && ("agentId" in by || "agentName" in by))
  })
  return exercised(
    delegated.length,
    nameless.map((one) => fault(one, "The request does not say which teammate asked.")),
  )
}
