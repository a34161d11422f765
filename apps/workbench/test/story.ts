import type { Fact, FactOf } from "@factum/client"
import type { OutputPart } from "@factum/facts"

type Payload<T extends Fact["type"]> = FactOf<T>["payload"]
export type Ids = { thread_id?: string; turn_id?: string; tool_call_id?: string; action_id?: string }

/** Writes the facts of one session as a runtime would. */
export class Story {
  readonly facts: Fact[] = []
  readonly session_id: string
  #deltas = new Map<string, { from: number; to: number }>()

  constructor(session_id = "ses_1") {
    this.session_id = session_id
  }

  add<T extends Fact["type"]>(type: T, ids: Ids, payload: Payload<T>): Fact {
    const sequence = this.facts.length + 1
    const fact = {
      type,
      event_id: `evt_${this.session_id}_${sequence}`,
      timestamp: new Date(1_700_000_000_000 + sequence * 500).toISOString(),
      sequence,
      schema_version: 1,
      session_id: this.session_id,
      ...ids,
      ...(/^(model|reasoning|tool)\./.test(type) ? { step_id: "stp_1" } : {}),
      payload,
    } as unknown as Fact
    this.facts.push(fact)
    return fact
  }

  begin(title = "First"): this {
    this.add("session.created", {}, { title })
    this.add("thread.started", { thread_id: "thr_1" }, {})
    return this
  }

  submit(turn_id: string, text: string, thread_id = "thr_1"): this {
    this.add("turn.submitted", { thread_id, turn_id }, { input: [{ kind: "text", text }], source: "test" })
    return this
  }

  start(turn_id: string, thread_id = "thr_1"): this {
    this.add("turn.started", { thread_id, turn_id }, {})
    return this.status(turn_id, "preparing", "Preparing", "Gathering context", thread_id)
  }

  status(
    turn_id: string,
    phase: Payload<"run.status">["phase"],
    title: string,
    detail = "",
    thread_id = "thr_1",
  ): this {
    this.add("run.status", { thread_id, turn_id }, { phase, title, detail, checkpoints: [], metadata: {} })
    return this
  }

  request(turn_id: string, request_id: string, thread_id = "thr_1"): this {
    const payload = { request_id, provider: "test", model: "test", attempt: 1 }
    this.add("model.requested", { thread_id, turn_id }, payload)
    return this
  }

  delta(turn_id: string, request_id: string, part_id: string, text: string, thread_id = "thr_1"): this {
    const kind = "text" as const
    const { sequence } = this.add("model.delta", { thread_id, turn_id }, { request_id, part_id, kind, text })
    return this.#streamed(request_id, sequence)
  }

  think(turn_id: string, request_id: string, part_id: string, text: string, thread_id = "thr_1"): this {
    const { sequence } = this.add("reasoning.delta", { thread_id, turn_id }, { request_id, part_id, text })
    return this.#streamed(request_id, sequence)
  }

  complete(turn_id: string, request_id: string, parts: OutputPart[], thread_id = "thr_1"): this {
    const usage = { input_tokens: 10, output_tokens: 20 }
    const payload = { request_id, parts, corrected: [], usage, finish: "stop" as const }
    this.add("model.completed", { thread_id, turn_id }, { ...payload, ...this.#superseded(request_id) })
    this.add("turn.completed", { thread_id, turn_id }, { outcome: "answered" })
    return this
  }

  fail(turn_id: string, request_id: string, parts: OutputPart[], thread_id = "thr_1"): this {
    const failure = { request_id, category: "cut_stream", reason: "Cut.", retryable: true, parts } as const
    this.add("model.failed", { thread_id, turn_id }, { ...failure, parts, ...this.#superseded(request_id) })
    const payload = { status: "failed", category: "cut_stream", reason: "Cut.", next: "Try it." } as const
    this.add("turn.failed", { thread_id, turn_id }, payload)
    return this
  }

  /** Opens a call that a request led to, with its input. */
  call(turn_id: string, request_id: string, call_id: string, tool: string, input: unknown = {}): this {
    const ids = { thread_id: "thr_1", turn_id, tool_call_id: `tcl_${call_id}` }
    const cause = { request_id, call_id }
    this.add("tool.started", ids, { tool, owner: "builtin", effect: "once", cause })
    const text = JSON.stringify(input)
    const input_ref = { uri: `record:${call_id}`, kind: "record" as const, bytes: text.length }
    this.add("tool.args", ids, { final: true, input_ref, preview: { text, whole: true } })
    return this
  }

  result(turn_id: string, call_id: string, text: string): this {
    const ids = { thread_id: "thr_1", turn_id, tool_call_id: `tcl_${call_id}` }
    const output_refs = [{ uri: `record:${call_id}`, kind: "record" as const, bytes: text.length }]
    const preview = { text, whole: true }
    this.add("tool.result", ids, { output_refs, preview, duration_ms: 1200 })
    return this
  }

  /** Asks a person for leave to make a call. */
  ask(turn_id: string, call_id: string, more: Partial<Payload<"action.required">> = {}): this {
    const ids = { thread_id: "thr_1", turn_id, tool_call_id: `tcl_${call_id}`, action_id: `act_${call_id}` }
    this.add("action.required", ids, {
      action_type: "tool_approval",
      title: "Allow write?",
      parent: { kind: "tool_call", id: `tcl_${call_id}` },
      decided_by: "human",
      decisions: [
        { id: "allow", label: "Allow once", effect: "allow" },
        { id: "deny", label: "Deny", effect: "deny" },
      ],
      requester: { kind: "agent", name: "main" },
      ...more,
    })
    return this.status(turn_id, "waiting_permission", "Waiting for you", "write")
  }

  settle(turn_id: string, call_id: string, payload: Payload<"action.resolved">): this {
    const ids = { thread_id: "thr_1", turn_id, tool_call_id: `tcl_${call_id}`, action_id: `act_${call_id}` }
    this.add("action.resolved", ids, payload)
    return this
  }

  queue(
    change: Payload<"queue.changed">["change"],
    queued_turn_id: string,
    order: string[],
    thread_id = "thr_1",
  ): this {
    const entries = order.map((turn_id) => ({
      queued_turn_id: `q_${turn_id}`,
      turn_id,
      source: "test",
      state: "waiting" as const,
    }))
    this.add("queue.changed", { thread_id }, { change, queued_turn_id, order: entries, policy: "fifo" })
    return this
  }

  #streamed(request_id: string, sequence: number): this {
    const from = this.#deltas.get(request_id)?.from ?? sequence
    this.#deltas.set(request_id, { from, to: sequence })
    return this
  }

  #superseded(request_id: string) {
    const supersedes = this.#deltas.get(request_id)
    return supersedes === undefined ? {} : { supersedes }
  }
}

export const text = (part_id: string, text: string): OutputPart => ({ kind: "text", part_id, text })

/** A person's answer. */
export const answered = (decision: string): Payload<"action.resolved"> => ({
  reason: "answered",
  decision,
  decider: { kind: "human" },
})
