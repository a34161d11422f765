import { mkdirSync } from "node:fs"
import { type ActionCard, createAgentUiStore, createViews, type RuntimeStatusView } from "@factum/agent-ui"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import type { CommandResult } from "@factum/facts"
import {
  createRuntime,
  type Mode,
  type Model,
  type Rule,
  type Runtime,
  speaker,
  type Tool,
} from "@factum/runtime"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { modelOf, type SimpleModel } from "./model.ts"
import { type SimpleTool, toolOf } from "./tool.ts"

export type FactumParts = {
  model: Model | SimpleModel
  /** The folder of the facts. One program at a time has it. */
  data: string
  tools?: readonly (Tool | SimpleTool)[]
  instructions?: string
  /** What may be done without asking; `ask` when not said. */
  mode?: Mode
  /** Decides what a call asks for: `true` allows it. Without it such a call waits, and `run` says so. */
  onAsk?: (card: ActionCard) => boolean | Promise<boolean>
}

export type Answer = {
  session_id: string
  turn_id: string
  /** `waiting`: for somebody who answers the actions. */
  outcome: "done" | "failed" | "cancelled" | "waiting"
  text: string
  /** What it waits for. */
  waiting: readonly ActionCard[]
  failure?: NonNullable<RuntimeStatusView["failure"]>
}

export type Factum = {
  /** The commands that `runtime.commands` names, the log and the blobs; other commands are refused. */
  runtime: Runtime
  /** The signal stops this turn alone, also while it is queued; one that is aborted already begins none. */
  run(task: string, options?: { session_id?: string; signal?: AbortSignal }): Promise<Answer>
  close(): Promise<void>
}

/** Factum inside of a program, without HTTP. Work that was cut off before goes on when it is created. */
export async function createFactum(parts: FactumParts): Promise<Factum> {
  mkdirSync(parts.data, { recursive: true, mode: 0o700 })
  const store = await openSqliteStore(parts.data)
  if (!store.ok) throw new Error(store.message)
  const tools = (parts.tools ?? []).map((tool) => ("touches" in tool ? tool : toolOf(tool)))
  const { mode = "ask", instructions = "", onAsk } = parts
  const agent = {
    ...speaker,
    instructions,
    tools,
    policy: { version: "program", mode, rules: harmless(parts.tools ?? []) },
  }
  const runtime = await createRuntime({ store, model: modelOf(parts.model), agent: () => agent })
  return {
    runtime,
    run: (task, options = {}) => runTurn(runtime, task, options, onAsk),
    close: () => runtime.close(),
  }
}

/** The program says that they only look, and it is the host here. */
const harmless = (tools: readonly (Tool | SimpleTool)[]): Rule[] =>
  tools
    .filter((tool) => !("touches" in tool) && !tool.changes)
    .map(({ name }) => ({ layer: "host", effect: "allow", tool: name }))

async function runTurn(
  runtime: Runtime,
  task: string,
  { session_id, signal }: { session_id?: string; signal?: AbortSignal },
  onAsk: FactumParts["onAsk"],
): Promise<Answer> {
  signal?.throwIfAborted()
  const place =
    session_id === undefined ? { create: "session" } : { session_id, ...lastThread(runtime, session_id) }
  const input = { ...place, input: [{ kind: "text", text: task }], source: "program" }
  const begun = await runtime.execute("submit_turn", { input })
  if (!begun.ok) throw new Error([begun.refusal.message, begun.refusal.fix].filter(Boolean).join(" "))
  const turn = begun.result as CommandResult<"submit_turn">
  const stop = () => void stopTurn(runtime, turn)
  signal?.addEventListener("abort", stop)
  if (signal?.aborted) stop()
  try {
    return await follow(runtime, turn, onAsk)
  } finally {
    signal?.removeEventListener("abort", stop)
  }
}

async function stopTurn(runtime: Runtime, turn: CommandResult<"submit_turn">): Promise<void> {
  const { session_id, thread_id, turn_id, queued_turn_id } = turn
  const at = { session_id, thread_id }
  if (queued_turn_id !== undefined) {
    const left = await runtime.execute("remove_queued_turn", { input: { ...at, queued_turn_id } })
    if (left.ok) return
  }
  // It may have begun by now; one that has ended is left as it is.
  const reason = "Stopped by the program."
  await runtime.execute("interrupt_turn", { input: { ...at, turn_id, reason } })
}

/** Reads the log as every client does, so that nothing is said that is not in it. */
async function follow(
  runtime: Runtime,
  { session_id, turn_id }: { session_id: string; turn_id: string },
  onAsk: FactumParts["onAsk"],
): Promise<Answer> {
  const state = createAgentUiStore({ schedule: () => () => undefined })
  const views = createViews()
  const answered = new Set<string>()
  const leaving = new AbortController()
  const scope = { sessionId: session_id, runId: turn_id }
  const view = <S extends "conversation" | "hitl" | "runtime_status">(name: S) =>
    views.of(name, state.getSnapshot(), scope, new Set())
  try {
    for await (const facts of runtime.log.tail(session_id, 0, leaving.signal)) {
      state.dispatch(facts.map(({ text }) => readRuntime(JSON.parse(text))))
      state.flush()
      const { status, failure } = view("runtime_status")
      const open = view("hitl").pending.filter(
        ({ runId, actionId }) => runId === turn_id && !answered.has(actionId),
      )
      const answer = (outcome: Answer["outcome"]): Answer => ({
        session_id,
        turn_id,
        outcome,
        text: textOf(view("conversation").messages, turn_id),
        waiting: open,
        ...(failure && { failure }),
      })
      if (status === "done" || status === "failed" || status === "cancelled") return answer(status)
      if (status === "interrupted") return answer("cancelled")
      if (open.length > 0 && onAsk === undefined && status === "blocked") return answer("waiting")
      for (const card of onAsk === undefined ? [] : open) {
        answered.add(card.actionId)
        await decide(runtime, session_id, card, (await onAsk?.(card)) ?? false)
      }
    }
    throw new Error("The runtime was closed before the turn ended; it goes on when it is created again.")
  } finally {
    leaving.abort()
    state.close()
  }
}

async function decide(
  runtime: Runtime,
  session_id: string,
  card: ActionCard,
  isAllowed: boolean,
): Promise<void> {
  const wanted = isAllowed ? "allow" : "deny"
  const option = card.options.find(({ id, description }) => id === wanted || description === wanted)
  const input = { session_id, action_id: card.actionId, decision: option?.id ?? wanted }
  const outcome = await runtime.execute("respond_action", { input })
  // Somebody else may have been faster.
  if (!outcome.ok && outcome.refusal.code !== "already_resolved") throw new Error(outcome.refusal.message)
}

function lastThread(runtime: Runtime, session_id: string): { thread_id?: string } {
  const read = runtime.snapshot("session_snapshot", { session_id })
  const { threads = [] } = (read.ok ? read.result : {}) as { threads?: { thread_id: string }[] }
  const thread_id = threads.at(-1)?.thread_id
  return thread_id === undefined ? {} : { thread_id }
}

type Said = { role: string; runId?: string; text: readonly { blocks: readonly string[] }[] }
const textOf = (messages: readonly Said[], turn: string): string =>
  messages
    .filter(({ role, runId }) => role === "assistant" && runId === turn)
    .flatMap(({ text }) => text.map(({ blocks }) => blocks.join("")))
    .join("\n")
