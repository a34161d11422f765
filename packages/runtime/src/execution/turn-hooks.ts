import type { SessionState } from "@factum/facts"
import { type Ending, endTurn, failedRequest, scopeOf } from "../control/loop.ts"
import { openRequests } from "../control/thread-view.ts"
import type { Draft } from "../decision.ts"
import type { HookCall } from "../hooks/index.ts"
import type { ModelCall, ModelMessage } from "../ports/model.ts"
import { atPoint, hasHooks, type Passed, type PointPorts } from "./hook-points.ts"
import { messageOf, shownText } from "./spoken.ts"
import { requestsOf } from "./transcript.ts"

export type TurnPoints = Omit<PointPorts, "record"> & {
  turn_id: string
  state: () => SessionState
  write: (drafts: (state: SessionState) => readonly Draft[]) => Promise<boolean>
}

const go = { kind: "go", input: {}, rewritten: false } as const

/** Once, before anything of the turn is done. What a person said is judged, but never rewritten. */
export async function beforeTurn(ports: TurnPoints): Promise<Passed> {
  const { turn_id } = ports
  const turn = ports.state().entities.turns[turn_id]
  const begun = ports.state().entities.catalogs[turn_id] !== undefined
  if (begun || turn === undefined) return go
  const text = turn.input.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n")
  return at(ports, { point: "before_turn", subject: turn.thread_id, input: { turn_id, text } })
}

/** The end as hooks leave it: a closed one that fails lets no turn read completed. */
export async function afterTurnHooks(ports: TurnPoints, ending: Ending): Promise<Ending | "stopped"> {
  const { thread_id } = scopeOf(ports.state(), ports.turn_id)
  const passed = await at(ports, { point: "after_turn", subject: thread_id, input: { ...ending } })
  if (passed.kind === "stopped") return "stopped"
  return passed.kind === "go" || ending.status !== "completed" ? ending : blockedEnding(passed)
}

/** Of what the model is sent, the instructions may be rewritten; the history is what the log says. */
export async function beforeModel(
  ports: TurnPoints,
  model: string,
  call: Omit<ModelCall, "model">,
): Promise<{ kind: "go"; call: Omit<ModelCall, "model"> } | Exclude<Passed, { kind: "go" }>> {
  if (!hasHooks(ports, "before_model")) return { kind: "go", call }
  const { system = "" } = call
  const input = { model, system, messages: call.messages.map(toldTo) }
  const passed = await at(ports, { point: "before_model", subject: model, input })
  if (passed.kind !== "go" || !passed.rewritten) return passed.kind === "go" ? { kind: "go", call } : passed
  const given = passed.input.system
  if (typeof given === "string") return { kind: "go", call: { ...call, system: given } }
  const message = "A hook rewrote the request without giving its instructions as `system`."
  return { kind: "blocked", message, next: "Let the hook answer with {rewrite: {system: …}}." }
}

export async function afterModel(ports: TurnPoints, model: string): Promise<Passed> {
  const last = requestsOf(ports.state(), ports.turn_id).at(-1)
  if (last === undefined || !hasHooks(ports, "after_model")) return go
  const { calls } = messageOf(last)
  const text = shownText(last)
  const input = { model, request_id: last.request_id, text, calls: calls.map((call) => ({ ...call })) }
  return at(ports, { point: "after_model", subject: model, input })
}

/** Before what came before in the thread is summed up by itself, and after. */
export function atCompaction(
  ports: TurnPoints,
  point: "before_compaction" | "after_compaction",
  input: HookCall["input"],
): Promise<Passed> {
  return at(ports, { point, subject: scopeOf(ports.state(), ports.turn_id).thread_id, input })
}

/** A turn that a hook does not let go on; a request that was not sent is closed as such. */
export function endBlocked(state: SessionState, turn_id: string, blocked: Blocked): Draft[] {
  const reason = blocked.message
  const closing = openRequests(state, turn_id).flatMap((request) =>
    failedRequest(state, request, { category: "interrupted", reason, retryable: false }),
  )
  return endTurn(state, turn_id, blockedEnding(blocked), closing)
}

type Blocked = Extract<Passed, { kind: "blocked" }>

const blockedEnding = ({ message, next }: Blocked): Ending => ({
  status: "failed",
  category: "hook_blocked",
  reason: message,
  by: "policy",
  next,
})

function at(ports: TurnPoints, call: HookCall): Promise<Passed> {
  const { turn_id, write } = ports
  const record: PointPorts["record"] = (facts) =>
    // The type and the payload of a fact stay together, which a spread of a union does not show.
    write((state) => facts.map((fact) => ({ ...fact, ...scopeOf(state, turn_id) }) as Draft))
  return atPoint({ ...ports, record }, call)
}

/** Bytes are named, not shown. */
function toldTo({ role, parts }: ModelMessage): { role: string; parts: unknown } {
  if (typeof parts === "string") return { role, parts }
  const shown = parts.map((part) =>
    part.kind === "file"
      ? { kind: part.kind, media_type: part.media_type, bytes: part.bytes.byteLength }
      : part.kind === "tool_result"
        ? { kind: part.kind, tool: part.tool, output: part.output }
        : part,
  )
  return { role, parts: shown }
}
