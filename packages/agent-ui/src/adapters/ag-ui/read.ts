import type { AgentUiEnvelope } from "../../envelope.ts"
import { action, agent, run, state, tool } from "../made.ts"
import {
  CARRIER,
  carriedIn,
  diagnostic,
  exact,
  fieldsOf,
  given,
  isEnvelope,
  isFields,
  listOf,
  type Translation,
  textOf,
  unread,
} from "../translation.ts"
import { type Answer, actionOf, ResumeBatch } from "./interrupts.ts"
import { mediaOf, plainText, snapshotOf, textPart } from "./messages.ts"
import type { AgUiType, Interrupt, ResumeEntry } from "./wire.ts"

type Fields = Readonly<Record<string, unknown>>
/** What an event of AG-UI became, the fields that were read, and those that had to be filled in. */
type Read = { events: AgentUiEnvelope[]; read?: readonly string[]; guessed?: readonly string[] }

/** AG-UI 1.0 in as Agent UI events. It remembers what AG-UI leaves to its readers: the run, open texts, interrupts. */
export class AgUiReader {
  #run: { threadId?: string; runId?: string } = {}
  readonly #texts = new Map<string, string>()
  #lastText: string | undefined
  #lastReasoning: string | undefined
  #lastCall: string | undefined
  readonly #calls = new Set<string>()
  readonly #results = new Set<string>()
  /** How often a text began under its message's id. */
  readonly #begun = new Map<string, number>()
  #batch: ResumeBatch | undefined

  /** Whether AG-UI has events of this type. */
  knows(type: string): boolean {
    return Object.hasOwn(this.#table, type)
  }

  read(value: unknown): Translation<AgentUiEnvelope> {
    if (!isFields(value) || typeof value.type !== "string") {
      const events = [diagnostic("ag-ui.unreadable", "Something came that is no event of AG-UI.", {})]
      return { events, loss: { lost: ["type"], guessed: [] } }
    }
    const own = ownIn(value)
    if (own) return { events: own, loss: exact, own: true }
    const table: Readonly<Record<string, (event: Fields) => Read>> = this.#table
    const read = Object.hasOwn(table, value.type) ? table[value.type]?.(value) : undefined
    if (!read) {
      const events = [diagnostic("ag-ui.unlisted", `AG-UI has no event ${value.type}.`, { event: value })]
      return { events, loss: exact }
    }
    const base = ["timestamp", "subagentRunId", "threadId", "runId"]
    return {
      events: read.events.map((event) => this.#placed(event, value)),
      loss: { lost: unread(value, [...base, ...(read.read ?? [])]), guessed: read.guessed ?? [] },
    }
  }

  /** Holds an answer until every open interrupt has one, then gives the batch to resume with. */
  answer(actionId: string, answer: Answer): readonly ResumeEntry[] | undefined {
    return this.#batch?.answer(actionId, answer)
  }

  #placed(event: AgentUiEnvelope, { timestamp, subagentRunId }: Fields): AgentUiEnvelope {
    const at = typeof timestamp === "number" && Number.isFinite(timestamp) ? new Date(timestamp) : undefined
    const agentId = typeof subagentRunId === "string" ? subagentRunId : undefined
    return {
      ...given({
        ...this.#run,
        agentId,
        timestamp: at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined,
      }),
      ...event,
    }
  }

  #table: Record<AgUiType, (event: Fields) => Read> = {
    RUN_STARTED: (e) => {
      const before = this.#run
      this.#run = given({ threadId: textOf(e, "threadId"), runId: textOf(e, "runId") })
      const answered = [...(this.#batch?.held ?? [])].map(([actionId, { decision }]) =>
        action("action.resolved", actionId, { payload: { decision } }),
      )
      const isResumed = this.#batch && before.runId !== undefined && before.runId !== this.#run.runId
      // The run that waited goes on as another one.
      const over = isResumed
        ? [{ ...run("run.finished", "interrupted", { outcome: "interrupted" }), ...before }]
        : []
      this.#batch = undefined
      const started = run("run.started", "accepted", {})
      return {
        events: [...answered, ...over, started],
        read: ["protocolVersion"],
        guessed: answered.length > 0 ? ["decision"] : [],
      }
    },
    RUN_FINISHED: (e) => this.#finished(e),
    RUN_ERROR: (e) => {
      const payload = given({ message: textOf(e, "message"), category: textOf(e, "code") })
      return { events: [run("run.failed", "failed", payload)], read: ["message", "code"], guessed: ["runId"] }
    },
    STEP_STARTED: (e) => step(e, "step_started"),
    STEP_FINISHED: (e) => step(e, "step_finished"),

    TEXT_MESSAGE_START: (e) => this.#text(e, "START"),
    TEXT_MESSAGE_CONTENT: (e) => this.#text(e, "CONTENT"),
    TEXT_MESSAGE_CHUNK: (e) => this.#text(e, "CHUNK"),
    TEXT_MESSAGE_END: (e) => this.#text(e, "END"),

    REASONING_START: (e) => this.#reasoning(e, "reasoning.delta"),
    REASONING_MESSAGE_START: (e) => this.#reasoning(e, "reasoning.delta"),
    REASONING_MESSAGE_CONTENT: (e) => this.#reasoning(e, "reasoning.delta"),
    REASONING_MESSAGE_CHUNK: (e) => this.#reasoning(e, "reasoning.delta"),
    REASONING_MESSAGE_END: (e) => this.#reasoning(e, "reasoning.summary"),
    REASONING_END: (e) => this.#reasoning(e, "reasoning.summary"),
    REASONING_ENCRYPTED_VALUE: (e) => {
      const affected = [{ kind: textOf(e, "subtype") ?? "unknown", id: textOf(e, "entityId") ?? "unknown" }]
      const message = "A provider sent reasoning that only it can read."
      return { events: [diagnostic("ag-ui.encrypted", message, { affected })], read: ["subtype", "entityId"] }
    },

    TOOL_CALL_START: (e) => this.#call(e),
    TOOL_CALL_ARGS: (e) => this.#call(e),
    TOOL_CALL_CHUNK: (e) => this.#call(e),
    // The input is whole now; whether the tool has run is not said.
    TOOL_CALL_END: (e) => {
      const toolCallId = textOf(e, "toolCallId") ?? "unknown"
      return { events: [tool("tool.args", toolCallId, { complete: true })], read: ["toolCallId"] }
    },
    TOOL_CALL_RESULT: (e) => {
      const payload = { preview: { text: plainText(e.content) }, success: "unknown" }
      const media = mediaOf(e.content).map((type) => `content.${type}`)
      const read = ["toolCallId", "content", "role"]
      const toolCallId = textOf(e, "toolCallId") ?? "unknown"
      this.#results.add(toolCallId)
      const result = tool("tool.result", toolCallId, payload)
      return { events: [result], read, guessed: ["payload.success", ...media] }
    },

    STATE_SNAPSHOT: (e) => ({ events: [state("state.snapshot", { state: e.snapshot })], read: ["snapshot"] }),
    STATE_DELTA: (e) => ({ events: [state("state.delta", { patch: listOf(e, "delta") })], read: ["delta"] }),
    MESSAGES_SNAPSHOT: (e) => {
      const told = { texts: this.#begun, calls: this.#calls, results: this.#results }
      const events = snapshotOf(listOf(e, "messages"), told)
      for (const { type, toolCallId = "" } of events) {
        if (type === "tool.started") this.#calls.add(toolCallId)
        if (type === "tool.result") this.#results.add(toolCallId)
      }
      return { events, read: ["messages"], guessed: ["payload.messages.parts"] }
    },
    ACTIVITY_SNAPSHOT: (e) =>
      kept(e, "ag-ui.activity", textOf(e, "activityType"), ["messageId", "content", "replace"]),
    ACTIVITY_DELTA: (e) => kept(e, "ag-ui.activity_delta", textOf(e, "activityType"), ["messageId", "patch"]),
    RAW: (e) => kept(e, "ag-ui.raw", textOf(e, "source"), ["event"]),
    CUSTOM: (e) => kept(e, "ag-ui.custom", textOf(e, "name"), ["value"]),

    SUBAGENT_STARTED: (e) => ({
      events: [
        agent("agent.spawned", { agentName: textOf(e, "name"), spawnReason: textOf(e, "description") }),
      ],
      read: ["name", "description"],
      guessed: ["agentId"],
    }),
    SUBAGENT_FINISHED: (e) => {
      const isSuspended = textOf(fieldsOf(e, "outcome"), "type") === "suspended"
      const ended = isSuspended
        ? agent("agent.changed", { status: "waiting" })
        : agent("agent.completed", { status: "completed", outcome: "success" })
      return { events: [ended], read: ["outcome"], guessed: ["agentId"] }
    },
    SUBAGENT_ERROR: (e) => {
      const failure = given({ message: textOf(e, "message"), category: textOf(e, "code") })
      const failed = agent("agent.completed", { status: "failed", outcome: "failed", failure })
      return { events: [failed], read: ["message", "code"], guessed: ["agentId"] }
    },
  }

  #finished(e: Fields): Read {
    const outcome = fieldsOf(e, "outcome")
    const type = textOf(outcome, "type")
    if (type !== "interrupt") {
      const isCancelled = type === "cancelled"
      const ended = run("run.finished", isCancelled ? "cancelled" : "completed", {
        outcome: type ?? "success",
      })
      return { events: [ended], read: ["outcome"], guessed: type === undefined ? ["payload.outcome"] : [] }
    }
    const interrupts = listOf(outcome, "interrupts").filter(isInterrupt)
    this.#batch = new ResumeBatch(interrupts)
    // For AG-UI the run is over; for the one who works it only waits.
    const waiting = run("run.status", "waiting", { status: "waiting", reason: "interrupt" })
    return {
      events: [waiting, ...interrupts.map(actionOf)],
      read: ["outcome"],
      guessed: ["payload.actionType"],
    }
  }

  #text(e: Fields, step: "START" | "CONTENT" | "CHUNK" | "END"): Read {
    const named = textOf(e, "messageId")
    const messageId = named ?? this.#lastText ?? "unknown"
    this.#lastText = messageId
    const guessed = named === undefined ? ["messageId"] : []
    const read = ["messageId", "role", "delta"]
    const isFirst = step !== "END" && !this.#texts.has(messageId)
    if (isFirst) this.#begun.set(messageId, (this.#begun.get(messageId) ?? 0) + 1)
    const partId = textPart(messageId, this.#begun.get(messageId) ?? 1)
    const base = { messageId, partId, owner: "model", surface: "conversation" }
    const before = this.#texts.get(messageId) ?? ""
    if (step === "END") {
      this.#texts.delete(messageId)
      const final = {
        ...base,
        type: "text.final",
        scope: "part",
        phase: "completed",
        payload: { text: before },
      }
      return { events: [final], read, guessed }
    }
    const delta = textOf(e, "delta") ?? ""
    this.#texts.set(messageId, before + delta)
    const role = textOf(e, "role")
    const payload = { delta, ...(isFirst ? { role: role ?? "assistant" } : given({ role })) }
    const event = { ...base, type: "text.delta", scope: "part", phase: "producing", payload }
    return {
      events: [event],
      read,
      guessed: [...guessed, ...(isFirst && role === undefined ? ["payload.role"] : [])],
    }
  }

  #reasoning(e: Fields, type: "reasoning.delta" | "reasoning.summary"): Read {
    const named = textOf(e, "messageId")
    const messageId = named ?? this.#lastReasoning ?? "unknown"
    this.#lastReasoning = messageId
    const payload =
      type === "reasoning.delta" ? { delta: textOf(e, "delta") ?? "", visible: true } : { visible: true }
    const event = { type, messageId, partId: messageId, owner: "model", phase: "reasoning", payload }
    const guessed = ["payload.visible", ...(named === undefined ? ["messageId"] : [])]
    return { events: [event], read: ["messageId", "delta", "role"], guessed }
  }

  #call(e: Fields): Read {
    const named = textOf(e, "toolCallId")
    const toolCallId = named ?? this.#lastCall ?? "unknown"
    this.#lastCall = toolCallId
    const toolName = textOf(e, "toolCallName")
    const delta = textOf(e, "delta")
    const isNew = !this.#calls.has(toolCallId)
    this.#calls.add(toolCallId)
    const messageId = textOf(e, "parentMessageId")
    const at = messageId === undefined ? {} : { messageId, partId: toolCallId }
    const started = { ...tool("tool.started", toolCallId, given({ toolName })), ...at }
    return {
      events: [
        ...(isNew || e.type === "TOOL_CALL_START" ? [started] : []),
        ...(delta === undefined ? [] : [tool("tool.args", toolCallId, { delta })]),
        ...(delta === undefined && !isNew && e.type === "TOOL_CALL_CHUNK"
          ? [tool("tool.args", toolCallId, {})]
          : []),
      ],
      read: ["toolCallId", "toolCallName", "parentMessageId", "delta"],
      guessed: named === undefined ? ["toolCallId"] : [],
    }
  }
}

/** Our own events, wherever in the event they travel. */
function ownIn(event: Fields): readonly AgentUiEnvelope[] | undefined {
  const tagged = carriedIn(fieldsOf(event, "metadata")?.[CARRIER])
  if (tagged) return tagged
  if (event.type === "CUSTOM" && event.name === CARRIER) return carriedIn(event.value)
  const isOurs = event.type === "ACTIVITY_SNAPSHOT" && textOf(event, "activityType")?.startsWith("factum.")
  return isOurs && isEnvelope(event.content) ? [event.content] : undefined
}

const isInterrupt = (value: unknown): value is Interrupt =>
  textOf(value, "id") !== undefined && textOf(value, "reason") !== undefined

const step = (e: Fields, status: string): Read => ({
  events: [run("run.status", "acting", { status, ...given({ title: textOf(e, "stepName") }) })],
  read: ["stepName"],
  guessed: ["phase"],
})
/** What Agent UI has no word for stays readable as a diagnostic. */
function kept(e: Fields, code: string, message: string | undefined, fields: readonly string[]): Read {
  const about = Object.fromEntries(fields.map((name) => [name, e[name]]))
  return {
    events: [diagnostic(code, message ?? "", given(about))],
    read: [...fields, "activityType", "source", "name"],
  }
}
