import type { AgentUiEnvelope } from "../../envelope.ts"
import {
  CARRIER,
  type Carry,
  type Draft,
  exact,
  given,
  type Translation,
  textOf,
  unkept,
} from "../translation.ts"
import { activity, agentEnd, reasoning, text, toolInput, toolOutput } from "./draft.ts"
import { interruptOf } from "./interrupts.ts"
import { snapshotMessages } from "./messages.ts"
import { OpenRun, stamped } from "./open-run.ts"
import type { AgUiEvent, JsonPatch } from "./wire.ts"

export type AgUiWriterOptions = {
  /** The run that the reader asked for. Without it, runs begin and end with the events' own. */
  run?: { threadId: string; runId: string }
  carry?: Carry
  /** The caller says by `rest` that nothing more is known: what was waited for in the past may be answered since. */
  replays?: boolean
}

/** Agent UI events out as AG-UI 1.0, which its verifier accepts: everything opened is closed, nothing follows the end. */
export class AgUiWriter {
  readonly #carry: Carry
  readonly #replays: boolean
  readonly #asked: AgUiWriterOptions["run"]
  #open: OpenRun | undefined
  #suspended: { threadId: string; runId: string; times: number } | undefined
  #over = false
  #own: string | undefined
  /** What came between runs, where AG-UI takes nothing; it goes out with the next one, or in a run of its own. */
  #held: AgentUiEnvelope[] = []
  #extra = 0

  constructor({ run, carry = "all", replays = false }: AgUiWriterOptions = {}) {
    this.#asked = run
    this.#replays = replays
    this.#carry = carry
  }

  /** The run is over or interrupted: the reader will take nothing more of it. */
  get over(): boolean {
    return this.#over
  }

  push(event: AgentUiEnvelope): Translation<AgUiEvent> {
    if (this.#over) return gone(event)
    if (!this.#open && !this.#asked && !this.#suspended && event.type !== "run.started")
      return this.#hold(event)
    const opening = this.#begin(event)
    const run = this.#open
    if (!run) return { events: [], loss: exact }
    const draft = this.#draft(event, run)
    const own = draft.opens ? [...opening, ...draft.events] : draft.events
    const before = draft.opens ? [] : this.#derived(opening)
    const events = [...before, ...this.#carried(stamped(own, event), event, draft)]
    if (!this.#replays) events.push(...this.rest().events)
    return { events, loss: this.#loss(event, draft, own.length === 0) }
  }

  /** Interrupts the run when nothing in it moves until people answer. */
  rest(): Translation<AgUiEvent> {
    const events = this.#open?.rests ? this.#derived(this.#suspend(this.#open)) : []
    return { events, loss: exact }
  }

  /** Ends what is open because the source ended, and sends what still waits: without it that is lost. */
  close(): Translation<AgUiEvent> {
    const run = this.#open
    if (!run) return { events: this.#released(), loss: exact }
    this.#end()
    const message = "The source ended before the run did."
    const events: AgUiEvent[] = [...run.closeAll(), { type: "RUN_ERROR", message, code: "source_ended" }]
    return { events: this.#derived(events), loss: { lost: [], guessed: ["phase"] } }
  }

  /** Waits for a run to travel in. Without a carrier none would ever take it. */
  #hold(event: AgentUiEnvelope): Translation<AgUiEvent> {
    if (this.#carry === "none") return gone(event)
    this.#held.push(event)
    return { events: this.#held.length < mostHeld ? [] : this.#released(), loss: exact }
  }

  /** What waits, in a run that holds nothing else; to our reader that run is nothing. */
  #released(): AgUiEvent[] {
    const events = this.#held.splice(0)
    const [first] = events
    if (!first) return []
    this.#extra += 1
    const threadId = first.threadId ?? first.sessionId ?? "unknown"
    const runId = `${CARRIER}/${this.#extra}`
    return [
      tagged({ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" }, []),
      { type: "CUSTOM", name: CARRIER, value: { events } },
      tagged({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } }, []),
    ]
  }

  #begin(event: AgentUiEnvelope): AgUiEvent[] {
    if (this.#open) return []
    const last = this.#suspended
    const { threadId, runId } = this.#asked ??
      (last && { ...last, runId: `${last.runId}/${last.times + 1}` }) ?? {
        threadId: event.threadId ?? event.sessionId ?? "unknown",
        runId: event.runId ?? "unknown",
      }
    this.#open = new OpenRun(threadId, runId)
    return [{ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" }]
  }

  #end(): void {
    this.#over = this.#asked !== undefined
    this.#open = undefined
    this.#suspended = undefined
    this.#own = undefined
  }

  #suspend(run: OpenRun): AgUiEvent[] {
    const { threadId, runId } = run
    const first = this.#suspended
    const own = this.#own
    this.#end()
    this.#own = own
    this.#suspended = { threadId, runId: first?.runId ?? runId, times: (first?.times ?? 0) + 1 }
    return run.interrupted()
  }

  #derived(events: readonly AgUiEvent[]): AgUiEvent[] {
    return this.#carry === "all" ? events.map((event) => tagged(event, [])) : [...events]
  }

  /** The first event carries the original whole; the others say that they belong to it. */
  #carried(events: readonly AgUiEvent[], event: AgentUiEnvelope, draft: Draft<AgUiEvent>): AgUiEvent[] {
    const all = [...this.#held.splice(0), event]
    if (draft.whole && all.length === 1) return [...events]
    if (events.length > 0 && this.#carry !== "all" && all.length === 1) return [...events]
    if (events.length > 0) return events.map((one, index) => tagged(one, index === 0 ? all : []))
    return this.#carry === "none"
      ? []
      : stamped([{ type: "CUSTOM", name: CARRIER, value: { events: all } }], event)
  }

  #loss(event: AgentUiEnvelope, { kept = [], guessed = [], whole }: Draft<AgUiEvent>, unmapped: boolean) {
    const travels = whole || this.#carry === "all" || (this.#carry === "unmapped" && unmapped)
    return { lost: travels ? [] : unkept(event, [...kept, ...(unmapped ? [] : ["timestamp"])]), guessed }
  }

  #draft(event: AgentUiEnvelope, run: OpenRun): Draft<AgUiEvent> & { opens?: boolean } {
    const { payload, toolCallId, agentId } = event
    switch (event.type) {
      case "run.started":
        // AG-UI has one run at a time; another one inside it travels in the carrier.
        if (this.#own !== undefined && this.#own !== event.runId) return { events: [] }
        this.#own = event.runId
        return { opens: true, events: [], kept: ["threadId", "runId"] }
      case "run.status":
        run.waiting = event.phase === "waiting"
        return { events: [] }
      case "run.finished":
      case "run.failed":
        return this.#ended(event, run)
      case "text.delta":
      case "text.final":
        return text(event, run)
      case "reasoning.delta":
      case "reasoning.summary":
        return reasoning(event, run)
      case "tool.started":
      case "tool.args":
        return toolCallId === undefined ? { events: [] } : toolInput(event, toolCallId, run)
      case "tool.result":
      case "tool.failed":
        return toolCallId === undefined ? { events: [] } : toolOutput(event, toolCallId, run)
      case "action.required":
        if (event.actionId !== undefined) run.interrupts.set(event.actionId, interruptOf(event))
        return { events: [] }
      case "action.resolved":
        if (event.actionId !== undefined) run.interrupts.delete(event.actionId)
        return { events: [] }
      case "state.snapshot":
        return { events: [{ type: "STATE_SNAPSHOT", snapshot: payload?.state }], kept: ["payload.state"] }
      case "state.delta": {
        const delta = Array.isArray(payload?.patch) ? (payload.patch as JsonPatch) : []
        return { events: [{ type: "STATE_DELTA", delta }], kept: ["payload.patch"] }
      }
      case "messages.snapshot":
        return snapshotMessages(event)
      case "agent.spawned":
        if (agentId === undefined || run.agents.has(agentId)) return activity(event)
        run.agents.set(agentId, "active")
        return {
          events: [
            {
              type: "SUBAGENT_STARTED",
              subagentRunId: agentId,
              name: textOf(payload, "agentName") ?? agentId,
            },
          ],
          kept: ["agentId", "payload.agentName"],
        }
      case "agent.completed":
        if (agentId === undefined || run.agents.get(agentId) !== "active") return activity(event)
        run.agents.set(agentId, "closed")
        return agentEnd(event, agentId)
      default:
        return activity(event)
    }
  }

  #ended(event: AgentUiEnvelope, run: OpenRun): Draft<AgUiEvent> {
    if (this.#own !== undefined && event.runId !== undefined && this.#own !== event.runId)
      return { events: [] }
    const { threadId, runId } = run
    const { payload } = event
    this.#end()
    if (event.type === "run.failed") {
      const message = textOf(payload, "message") ?? "The run failed."
      const code = textOf(payload, "category")
      const error: AgUiEvent = { type: "RUN_ERROR", message, ...given({ code }) }
      return { events: [...run.closeAll(), error], kept: ["payload.message", "payload.category"] }
    }
    const outcome = textOf(payload, "outcome") ?? "success"
    const type = outcome === "success" ? "success" : "cancelled"
    return {
      events: [...run.closeAll(), { type: "RUN_FINISHED", threadId, runId, outcome: { type } }],
      kept: ["threadId", "runId", ...(outcome === type ? ["payload.outcome"] : [])],
    }
  }
}

/** So many events wait at most, so that a log in which no run ever begins is neither kept nor kept back. */
const mostHeld = 256

const gone = (event: AgentUiEnvelope): Translation<AgUiEvent> => ({
  events: [],
  loss: { lost: ["type", ...unkept(event)], guessed: [] },
})

function tagged(event: AgUiEvent, events: readonly AgentUiEnvelope[]): AgUiEvent {
  return { ...event, metadata: { ...event.metadata, [CARRIER]: { events } } }
}
