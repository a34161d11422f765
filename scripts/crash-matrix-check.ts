import { hash } from "node:crypto"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import {
  actionEnded,
  applyFacts,
  type Envelope,
  emptySession,
  requestEnded,
  requestSettled,
  type SessionState,
  subagentClosed,
  supersededBy,
  type ToolCall,
  terminalStates,
  toolCallEnded,
  turnEnded,
  validateFact,
} from "@factum/facts"
import { afterwards, type Scenario } from "./crash-matrix-scenarios.ts"

type Effect = { tool: string; key: string; attempt: number; life: number }
type Told = { life: number; text: string; round: number; told: string }
type Acknowledged = { command_id: string; name: string; input: Record<string, unknown>; result: unknown }

/** What a directory holds after a life: the log as its bytes tell it, and what happened outside of it. */
export type Remains = { facts: Envelope[]; effects: Effect[]; told: Told[]; acknowledged: Acknowledged[] }

export function remainsOf(directory: string): Remains {
  return {
    facts: factsIn(join(directory, "store")),
    effects: linesOf(join(directory, "effects.jsonl")) as Effect[],
    told: linesOf(join(directory, "told.jsonl")) as Told[],
    acknowledged: linesOf(join(directory, "acknowledged.jsonl")) as Acknowledged[],
  }
}

/** Read from a copy: looking must not change what the next life finds. */
function factsIn(store: string): Envelope[] {
  const scratch = mkdtempSync(join(tmpdir(), "factum-matrix-look-"))
  try {
    for (const name of ["factum.db", "factum.db-wal"])
      if (existsSync(join(store, name))) copyFileSync(join(store, name), join(scratch, name))
    if (!existsSync(join(scratch, "factum.db"))) return []
    const db = new DatabaseSync(join(scratch, "factum.db"))
    const tables = db.prepare("select 1 from sqlite_master where name = 'facts'").all()
    const rows = tables.length === 0 ? [] : db.prepare("select text from facts order by id").all()
    db.close()
    const facts = rows.map(({ text }) => JSON.parse(String(text)) as Envelope)
    return facts.filter(({ session_id }) => session_id !== undefined)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function linesOf(path: string): unknown[] {
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)
}

/** Two remains with the same print differ only in ids and times, and in which life did what. */
export function printOf({ facts, effects, acknowledged }: Remains): string {
  const names = new Map<string, string>()
  const done = effects.map(({ tool, key, attempt }) => [tool, key, attempt])
  const answered = new Set(acknowledged.map(({ command_id }) => command_id))
  const text = JSON.stringify([facts, done, [...answered]])
    .replace(/"(timestamp|started_at)":"[^"]*"|"duration_ms":\d+|"(digest|bytes)":[^,}]+/g, "")
    .replace(/\b[a-z]{3}_[0-9a-z]{20,}\b/gi, (id) => {
      if (!names.has(id)) names.set(id, `id${names.size}`)
      return names.get(id) ?? ""
    })
  return hash("sha256", text)
}

const stateOf = (facts: readonly Envelope[]): SessionState =>
  applyFacts(emptySession, facts, supersededBy(facts)).state

/** Everything that is wrong in what the last life left, knowing what was there when each life was cut. */
export function violationsIn(scenario: Scenario, cuts: readonly Remains[], end: Remains): string[] {
  const streams = streamsOf(end.facts)
  const states = streams.map(stateOf)
  const calls = states.flatMap(({ entities }) => Object.values(entities.toolCalls))
  return [
    ...streams.flatMap((facts) => [...wrongLog(facts), ...wrongEnds(facts)]),
    ...states.flatMap(open),
    ...lostHistory(cuts, end),
    ...lostCommands(end),
    ...wrongEffects(scenario, calls, end),
    // What the runtime executes itself takes up where it was; its steps and children are looked at themselves.
    ...wrongCuts(
      cuts,
      calls.filter(({ tool }) => scenario.tools[tool] !== undefined),
      end.facts,
    ),
    ...untold(states, end),
    ...wrongSummaries(end.facts),
    ...unheard(end),
  ]
}

/** The facts of each session; the one that the person speaks in comes first. */
const streamsOf = (facts: readonly Envelope[]): Envelope[][] => [
  ...Map.groupBy(facts, ({ session_id }) => session_id).values(),
]

/** Each summary that was begun has one end, and a rollback is whole. */
function wrongSummaries(facts: readonly Envelope[]): string[] {
  const of = (type: string, id: string) =>
    facts.filter((fact) => fact.type === type).map(({ payload }) => String(payload[id]))
  const begun = of("context.compaction.started", "compaction_id")
  const ended = [
    ...of("context.compaction.completed", "compaction_id"),
    ...of("context.compaction.failed", "compaction_id"),
  ]
  const pairs: [string[], string[], string][] = [
    [begun, ended, "summary"],
    [
      of("history.rollback.started", "rollback_id"),
      of("history.rollback.completed", "rollback_id"),
      "rollback",
    ],
  ]
  return pairs.flatMap(([starts, ends, what]) =>
    isDeepStrictEqual(starts.toSorted(), ends.toSorted()) ? [] : [`a ${what} has not exactly one end`],
  )
}

/** What was said to a turn reaches the model: in the turn, or after its end. */
function unheard({ facts, told }: Remains): string[] {
  return facts.flatMap(({ type, payload, turn_id }) => {
    if (type !== "queue.changed" || payload.steer === undefined) return []
    const [part] = (payload.steer as { input: { text: string }[] }).input
    const spoke = facts.some((fact) => fact.type === "model.completed" && fact.turn_id === turn_id)
    const heard = told.some((one) => one.told.includes(part?.text ?? ""))
    return heard || !spoke ? [] : [`what was said to ${turn_id} was never told`]
  })
}

function wrongLog(facts: readonly Envelope[]): string[] {
  const found = facts.flatMap((fact, at) => {
    const checked = validateFact(fact)
    return [
      ...(fact.sequence === at + 1 ? [] : [`fact ${fact.sequence} stands at ${at + 1}`]),
      ...(checked.ok ? [] : [`fact ${fact.sequence} is not valid: ${JSON.stringify(checked.issues)}`]),
    ]
  })
  const ids = new Set(facts.map(({ event_id }) => event_id))
  return ids.size === facts.length ? found : [...found, "an event id is there twice"]
}

function lostHistory(cuts: readonly Remains[], end: Remains): string[] {
  const kept = new Map(end.facts.map((fact) => [fact.event_id, fact]))
  return cuts.flatMap(({ facts }, at) => {
    const same = facts.every((fact) => isDeepStrictEqual(fact, kept.get(fact.event_id)))
    return same ? [] : [`facts from before cut ${at + 1} are not what they were`]
  })
}

function lostCommands({ acknowledged, facts }: Remains): string[] {
  const first = new Map<string, Acknowledged>()
  return acknowledged.flatMap((one) => {
    const { command_id, name, input, result } = one
    const before = first.get(command_id) ?? one
    first.set(command_id, before)
    if (!isDeepStrictEqual(before.result, result)) return [`${command_id} was answered in two ways`]
    const [own] = streamsOf(facts)
    const there = (own ?? []).filter((fact) => isTraceOf(fact, name, input))
    const nothing = name === "interrupt_turn" && (result as { status: string }).status === "no_op"
    if (there.length === (nothing ? 0 : 1)) return []
    return [`${command_id} was acknowledged and is in the log ${there.length} times`]
  })
}

function isTraceOf(
  { type, payload, ...ids }: Envelope,
  name: string,
  input: Record<string, unknown>,
): boolean {
  if (name === "submit_turn")
    return (
      type === "turn.submitted" &&
      ids.turn_id === input.turn_id &&
      isDeepStrictEqual(payload.input, input.input)
    )
  if (name === "steer")
    return (
      type === "queue.changed" && isDeepStrictEqual(payload.steer, { input: input.input, source: "client" })
    )
  if (name === "x-factum.compact_thread") return type === "context.compaction.started"
  if (name === "x-factum.roll_back_thread") return type === "history.rollback.completed"
  if (name === "interrupt_turn")
    return type === "turn.failed" && ids.turn_id === input.turn_id && payload.status === "cancelled"
  return (
    type === "action.resolved" &&
    ids.action_id === input.action_id &&
    payload.reason === "answered" &&
    payload.decision === input.decision
  )
}

function open({ entities }: SessionState): string[] {
  const { turns, toolCalls, actions, permissionRequests, modelRequests, queues, runs, threads, subagents } =
    entities
  const of = <T>(kind: string, all: Readonly<Record<string, T>>, ended: (one: T) => boolean) =>
    Object.entries(all).flatMap(([id, one]) => (ended(one) ? [] : [`${kind} ${id} is open`]))
  return [
    ...of("turn", turns, turnEnded),
    ...of("call", toolCalls, toolCallEnded),
    ...of("action", actions, actionEnded),
    ...of("permission request", permissionRequests, requestSettled),
    ...of("model request", modelRequests, requestEnded),
    ...of("queue", queues, ({ order }) => order.length === 0),
    ...of("run", runs, ({ phase }) => terminalStates.has(phase)),
    ...of("thread", threads, ({ status }) => status === "idle"),
    ...of("child", subagents, subagentClosed),
  ]
}

function wrongEnds(facts: readonly Envelope[]): string[] {
  const count = (id: "turn_id" | "tool_call_id" | "action_id", key: string, ...types: string[]) =>
    facts.filter((fact) => fact[id] === key && types.includes(fact.type)).length
  const ids = (id: "turn_id" | "tool_call_id" | "action_id") => [
    ...new Set(facts.flatMap((fact) => fact[id] ?? [])),
  ]
  const exactly = (id: "turn_id" | "tool_call_id" | "action_id", ...types: string[]) =>
    ids(id).flatMap((key) => {
      const found = count(id, key, ...types)
      return found === 1 ? [] : [`${key} has ${found} of ${types.join(" and ")}`]
    })
  return [
    ...exactly("turn_id", "turn.submitted"),
    ...exactly("turn_id", "turn.completed", "turn.failed"),
    ...ids("turn_id").flatMap((key) =>
      count("turn_id", key, "turn.started") > 1 ? [`${key} started twice`] : [],
    ),
    ...exactly("tool_call_id", "tool.started"),
    ...exactly("tool_call_id", "tool.result", "tool.failed"),
    ...exactly("action_id", "action.required"),
    ...exactly("action_id", "action.resolved"),
  ]
}

/** Each effect was announced; what must not happen twice did not; the log tells the truth about it. */
function wrongEffects(
  scenario: Scenario,
  calls: readonly ToolCall[],
  { facts, effects, told }: Remains,
): string[] {
  const announced = new Set(
    facts.flatMap(({ type, tool_call_id, payload }) =>
      type === "tool.progress" && payload.attempt !== undefined ? [`${tool_call_id} ${payload.attempt}`] : [],
    ),
  )
  const unannounced = effects.filter(({ key, attempt }) => !announced.has(`${key} ${attempt}`))
  const causes = calls.map(({ cause }) => `${cause?.request_id} ${cause?.call_id}`)
  // A second call is made only for one that is known to have failed.
  const twice = causes.filter((cause, at) => {
    const first = causes.indexOf(cause)
    return first !== at && calls[first]?.failure?.category !== "tool_error"
  })
  const rounds = told.filter(({ text }) => text !== afterwards).map(({ text, round }) => `${text} ${round}`)
  const again = rounds.filter((round, at) => rounds.indexOf(round) !== at)
  const perTool = Object.entries(scenario.tools).flatMap(([tool, { effect }]) => {
    const words = JSON.stringify([scenario.says, scenario.pipelines])
    const asked = words.match(new RegExp(`\\b${tool}\\b`, "g"))?.length ?? 0
    const count = effects.filter((one) => one.tool === tool).length
    return effect === "once" && count > asked ? [`${tool} had its effect ${count} times`] : []
  })
  return [
    ...unannounced.map(({ tool, attempt }) => `attempt ${attempt} of ${tool} was not announced`),
    ...twice.map((cause) => `two calls were opened for ${cause}`),
    ...again.map((round) => `the model was asked twice for ${round}`),
    ...perTool,
    ...calls.flatMap((call) => wrongCall(scenario, call, effects)),
  ]
}

function wrongCall(scenario: Scenario, call: ToolCall, effects: readonly Effect[]): string[] {
  // What the runtime executes itself has no effect outside of the log.
  if (scenario.tools[call.tool] === undefined) return []
  const own = effects.filter(({ key }) => key === call.tool_call_id).map(({ attempt }) => attempt)
  const attempts = call.progress?.attempt ?? 0
  const who = `${call.tool} (${call.status} ${call.failure?.category ?? ""})`
  if (new Set(own).size < own.length) return [`${who}: one attempt had two effects`]
  if (call.effect === "once" && (attempts > 1 || own.length > 1))
    return [`${who}: executed ${attempts} times`]
  if (scenario.tools[call.tool]?.asks === true)
    return own.length > 0 ? [`${who}: a question was executed`] : []
  if (call.status === "done" && !own.includes(attempts)) return [`${who}: a result without its effect`]
  if (call.failure?.category === "tool_error" && !own.includes(attempts)) return [`${who}: failed unexecuted`]
  const never = call.failure?.category === "permission_denied"
  return never && (own.length > 0 || attempts > 0) ? [`${who}: denied, and executed`] : []
}

/** A call that was cut in its effect is told as such, or is attempted again where that is safe. */
function wrongCuts(
  cuts: readonly Remains[],
  calls: readonly ToolCall[],
  facts: readonly Envelope[],
): string[] {
  const cutIn = new Map<string, ToolCall>()
  for (const { entities } of cuts.flatMap((cut) => streamsOf(cut.facts).map(stateOf)))
    for (const call of Object.values(entities.toolCalls))
      if (!toolCallEnded(call) && call.progress?.attempt !== undefined) cutIn.set(call.tool_call_id, call)
  return calls.flatMap((call) => {
    const cut = cutIn.get(call.tool_call_id)
    const category = call.failure?.category
    const who = `${call.tool} (${call.status} ${category ?? ""})`
    if (cut === undefined)
      return category === "outcome_unknown" ? [`${who}: said to be unknown and was never cut`] : []
    const again = (call.progress?.attempt ?? 0) > (cut.progress?.attempt ?? 0)
    if (call.effect === "once") return category === "outcome_unknown" ? [] : [`${who}: cut, and not told so`]
    if (again || category === "interrupted") return []
    const over = facts.some(
      ({ type, turn_id, payload }) =>
        type === "turn.failed" && turn_id === call.turn_id && payload.category === "runtime_restart",
    )
    return over && category === "outcome_unknown"
      ? []
      : [`${who}: cut, and neither told so nor attempted again`]
  })
}

/** What was lost is said to the person, with what can be done, and to the model in the next turn. */
function untold(states: readonly SessionState[], { told }: Remains): string[] {
  const [main] = states
  if (main === undefined) return []
  const { entities } = main
  const next = told.findLast(({ text, round }) => text === afterwards && round === 0)?.told ?? ""
  const lost = states
    .flatMap((state) => Object.values(state.entities.toolCalls))
    .filter((call) => call.failure?.category === "outcome_unknown")
  const cut = Object.values(entities.turns).filter((turn) => turn.failure?.category === "runtime_restart")
  const spoken = cut.filter((turn) =>
    Object.values(entities.modelRequests).some(
      (request) => request.turn_id === turn.turn_id && request.status === "completed",
    ),
  )
  const toModel = [
    ...(lost.length > 0 && !next.includes("outcome_unknown")
      ? ["a lost outcome is not told to the model"]
      : []),
    ...(spoken.length > 0 && !next.includes("runtime_restart")
      ? ["a cut turn is not told to the model"]
      : []),
  ]
  const silent = [...lost, ...cut].filter(({ failure }) => !failure?.next)
  return [...toModel, ...silent.map(() => "a person is not told what to do about a loss")]
}
