import { type ModelRequest, type OutputPart, type SessionState, turnEnded } from "@factum/facts"
import type { Cells } from "../cells.ts"
import {
  type Ending,
  endTurn,
  failedRequest,
  moveTo,
  scopeOf,
  startTurn,
  superseded,
} from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { Ids } from "../ports/clock.ts"
import type { Model, ModelChunk } from "../ports/model.ts"
import type { Redactor } from "../redact.ts"
import { type Delta, DeltaBuffer } from "./deltas.ts"
import { type Transcript, transcript } from "./transcript.ts"

export type TurnPorts = { cells: Cells; model: Model; ids: Ids; redactor: Redactor }

/** `stopped`: someone else ended the turn. `unwritten`: the store refused, so that nothing more may happen. */
export type Performed = "ended" | "stopped" | { unwritten: string }

type Finish = Extract<ModelChunk, { kind: "finish" }>
type Failure = Extract<ModelChunk, { kind: "error" }>
type LastWord = Finish | Failure | { kind: "cut" }

/** Runs one turn from its start to its end. Every step is in the log before the next begins. */
export async function performTurn(
  ports: TurnPorts,
  session_id: string,
  turn_id: string,
  signal: AbortSignal,
): Promise<Performed> {
  const { cells, ids, model } = ports
  let unwritten: string | undefined

  /** False when the turn is over or cannot be written on. */
  function write(drafts: (state: SessionState) => Draft[]): Promise<boolean> {
    return cells.inLine(session_id, async (cell) => {
      const turn = cell.state.entities.turns[turn_id]
      if (unwritten !== undefined || turn === undefined || turnEnded(turn)) return false
      const done = await cells.commit(cell, drafts(cell.state))
      if (!done.ok) unwritten = done.code === "write_failed" ? done.reason : done.code
      return done.ok
    })
  }
  const stopped = (): Performed => (unwritten === undefined ? "stopped" : { unwritten })

  const request = { request_id: ids.next("request"), step_id: ids.next("step") }
  let told: Transcript = { messages: [], turns: 0, warnings: [] }
  if (!(await write((state) => startTurn(state, turn_id)))) return stopped()
  const prepared = await write((state) => {
    const { thread_id } = scopeOf(state, turn_id)
    told = transcript(state, thread_id, turn_id)
    return prepare(state, turn_id, told, request, model)
  })
  if (!prepared) return stopped()

  const stream = new DeltaBuffer(
    (deltas) => write((s) => streamed(s, turn_id, request, deltas)),
    ports.redactor,
  )
  const finals = new Map<string, string>()
  let last: LastWord = { kind: "cut" }
  try {
    for await (const chunk of model.stream({ model: model.name, messages: told.messages, signal })) {
      if (signal.aborted || !stream.open) break
      if (chunk.kind === "finish" || chunk.kind === "error") {
        last = chunk
        break
      }
      if (chunk.kind === "final") finals.set(chunk.part_id, chunk.text)
      else if (chunk.kind === "reasoning_summary") {
        await stream.flush({ kind: "reasoning", part_id: chunk.part_id })
        await write((state) => [summary(state, turn_id, request, chunk)])
      } else stream.add(deltaOf(chunk))
    }
  } catch (error) {
    const reason = `The model adapter broke: ${error instanceof Error ? error.message : String(error)}`
    last = { kind: "error", category: "provider_error", reason, retryable: false }
  }
  if (!(await stream.settle())) return stopped()
  // On a stop of the whole runtime the turn stays open: the next start closes it.
  if (signal.aborted) return "stopped"
  const ended = await write((state) =>
    close(state, turn_id, request.request_id, last, finals, ports.redactor),
  )
  return ended ? "ended" : stopped()
}

type Request = { request_id: string; step_id: string }

function prepare(
  state: SessionState,
  turn_id: string,
  { turns, warnings }: Transcript,
  request: Request,
  model: Model,
): Draft[] {
  const scope = scopeOf(state, turn_id)
  const history = { turns, through_sequence: state.sequence }
  return [
    {
      type: "context.resolved",
      ...scope,
      payload: { selected: [], missing: [], warnings: [...warnings], history },
    },
    {
      type: "tool.catalog.resolved",
      ...scope,
      payload: { caller: "turn", policy_version: "none", mode: "default", tools: [] },
    },
    ...moveTo(state, turn_id, "running", "Waiting for the model", `${model.provider} ${model.name}`),
    {
      type: "model.requested",
      ...scope,
      step_id: request.step_id,
      payload: { request_id: request.request_id, provider: model.provider, model: model.name, attempt: 1 },
    },
  ]
}

function streamed(state: SessionState, turn_id: string, request: Request, deltas: readonly Delta[]): Draft[] {
  const scope = { ...scopeOf(state, turn_id), step_id: request.step_id }
  const { request_id } = request
  const facts = moveTo(state, turn_id, "streaming", "Answering", "")
  for (const { kind, part_id, text, tool, call_id } of deltas) {
    if (kind === "reasoning") {
      facts.push({ type: "reasoning.delta", ...scope, payload: { request_id, part_id, text } })
      continue
    }
    const call = tool === undefined || call_id === undefined ? {} : { tool, call_id }
    facts.push({ type: "model.delta", ...scope, payload: { request_id, part_id, kind, text, ...call } })
  }
  return facts
}

function summary(
  state: SessionState,
  turn_id: string,
  { request_id, step_id }: Request,
  { part_id, text }: { part_id: string; text: string },
): Draft {
  const payload = { request_id, part_id, text, by: "provider" as const }
  return { type: "reasoning.summary", ...scopeOf(state, turn_id), step_id, payload }
}

function deltaOf(chunk: Extract<ModelChunk, { part_id: string }>): Delta {
  if (chunk.kind === "tool_call") {
    const { kind, part_id, tool, call_id } = chunk
    return { kind, part_id, tool, call_id, text: chunk.arguments }
  }
  const { part_id, text } = chunk
  return {
    kind: chunk.kind === "structured" || chunk.kind === "text" ? chunk.kind : "reasoning",
    part_id,
    text,
  }
}

function close(
  state: SessionState,
  turn_id: string,
  request_id: string,
  last: LastWord,
  finals: ReadonlyMap<string, string>,
  redactor: Redactor,
): Draft[] {
  const request = state.entities.modelRequests[request_id]
  if (request === undefined) return []
  if (last.kind === "cut") {
    const reason = "The model's answer broke off."
    const next = "Send the message again."
    return endTurn(state, turn_id, { status: "failed", category: "cut_stream", reason, next })
  }
  if (last.kind === "error") {
    const { category, reason, retryable } = last
    const next = retryable ? "Try again in a moment." : "Read the reason, then send the message again."
    const closing = failedRequest(state, request, { category, reason, retryable })
    return endTurn(state, turn_id, { status: "failed", category, reason, next }, [closing])
  }
  const completed = completion(state, request, last, finals, redactor)
  return endTurn(state, turn_id, outcome(request), [completed])
}

/** The streamed parts are the answer, unless the provider gave another final text for one of them. */
function completion(
  state: SessionState,
  request: ModelRequest,
  { finish, usage }: Finish,
  finals: ReadonlyMap<string, string>,
  redactor: Redactor,
): Draft {
  const corrected: string[] = []
  const parts = request.parts.map((part): OutputPart => {
    const given = finals.get(part.part_id)
    if (given === undefined || (part.kind !== "text" && part.kind !== "structured")) return part
    const { value: text } = redactor.text(given)
    if (text !== part.text) corrected.push(part.part_id)
    return { ...part, text }
  })
  const { request_id, turn_id, step_id } = request
  const payload = { request_id, parts, corrected, usage, finish, ...superseded(request) }
  return { type: "model.completed", ...scopeOf(state, turn_id), step_id, payload }
}

function outcome(request: ModelRequest): Ending {
  const call = request.parts.find((part) => part.kind === "tool_call")
  if (call?.kind !== "tool_call") return { status: "completed", outcome: "answered" }
  const reason = `The model asked for the tool ${call.tool}, which this turn does not have.`
  return { status: "failed", category: "unknown_tool", reason, next: "Ask again without this tool." }
}
