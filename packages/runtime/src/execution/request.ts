import type { ModelRequest, OutputPart, SessionState } from "@factum/facts"
import type { Agent } from "../agent.ts"
import { moveTo, scopeOf, superseded } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { BlobStore } from "../ports/log.ts"
import type { Model, ModelCall, ModelChunk, ModelUsage } from "../ports/model.ts"
import type { Redactor } from "../redact.ts"
import type { Failure } from "../routing/index.ts"
import { type Delta, DeltaBuffer } from "./deltas.ts"
import { type Kept, keepReplay, notKept } from "./replays.ts"
import { withWords } from "./spoken.ts"

export type Write = (drafts: (state: SessionState) => Draft[]) => Promise<boolean>
export type Request = { request_id: string; step_id: string; turn_id: string }

/** What else is true once the provider has said its last word. */
export type After = {
  completed: (state: SessionState, request: ModelRequest, usage: ModelUsage) => Draft[]
  failed: (state: SessionState, request: ModelRequest, failure: Failure) => Draft[]
}

type Finish = Extract<ModelChunk, { kind: "finish" }>
type LastWord = Finish | Extract<ModelChunk, { kind: "error" }> | { kind: "cut" }

/** Asks the model once and writes down what it says. False when the turn is over or cannot go on. */
export async function askModel(
  ports: { model: Model; agent: Agent; redactor: Redactor; blobs: BlobStore; write: Write; after: After },
  request: Request,
  call: Omit<ModelCall, "model">,
): Promise<boolean> {
  const { model, agent, redactor, blobs, write, after } = ports
  const stream = new DeltaBuffer((deltas) => write((s) => streamed(s, request, deltas)), redactor)
  const finals = new Map<string, string>()
  let last: LastWord = { kind: "cut" }
  try {
    for await (const chunk of model.stream({ model: model.name, ...call })) {
      if (call.signal.aborted || !stream.open) break
      if (chunk.kind === "finish" || chunk.kind === "error") {
        last = chunk
        break
      }
      if (chunk.kind === "final") finals.set(chunk.part_id, chunk.text)
      else if (chunk.kind === "reasoning_summary") {
        await stream.flush({ kind: "reasoning", part_id: chunk.part_id })
        await write((state) => [summary(state, request, chunk)])
      } else stream.add(deltaOf(chunk))
    }
  } catch (error) {
    const reason = `The model adapter broke: ${error instanceof Error ? error.message : String(error)}`
    last = { kind: "error", category: "provider_error", reason, retryable: false }
  }
  if (!(await stream.settle())) return false
  // On a stop of the whole runtime the turn stays open: the next start closes it.
  if (call.signal.aborted) return false
  const kept = last.kind === "finish" ? await keepReplay(last, blobs, redactor) : {}
  return write((state) => close(state, request, last, { finals, redactor, kept, agent }, after))
}

/** What else goes into the fact of a completed request. */
type Said = { finals: ReadonlyMap<string, string>; redactor: Redactor; kept: Kept; agent: Agent }

function streamed(state: SessionState, request: Request, deltas: readonly Delta[]): Draft[] {
  const { request_id, step_id, turn_id } = request
  const scope = { ...scopeOf(state, turn_id), step_id }
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
  { request_id, step_id, turn_id }: Request,
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
  { request_id }: Request,
  last: LastWord,
  said: Said,
  after: After,
): Draft[] {
  const request = state.entities.modelRequests[request_id]
  if (request === undefined) return []
  if (last.kind === "cut") {
    const reason = "The model's answer broke off."
    return after.failed(state, request, { category: "cut_stream", reason, retryable: true })
  }
  if (last.kind === "error") return after.failed(state, request, last)
  const { warning } = said.kept
  return [
    completion(state, request, last, said),
    ...(warning === undefined ? [] : [notKept(request, scopeOf(state, request.turn_id), warning)]),
    ...after.completed(state, request, last.usage),
  ]
}

/** The streamed parts are the answer, unless the provider gave another final text for one of them. */
function completion(
  state: SessionState,
  request: ModelRequest,
  { finish, usage }: Finish,
  { finals, redactor, kept: { replay_ref }, agent }: Said,
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
  const { input_tokens, output_tokens } = usage
  const payload = {
    request_id,
    parts: withWords({ parts, finish }, agent),
    corrected,
    usage: { input_tokens, output_tokens },
    finish,
    ...(replay_ref === undefined ? {} : { replay_ref }),
    ...superseded(request),
  }
  return { type: "model.completed", ...scopeOf(state, turn_id), step_id, payload }
}
