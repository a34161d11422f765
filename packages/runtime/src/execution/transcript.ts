import { type ModelRequest, type SessionState, type Turn, turnEnded } from "@factum/facts"
import {
  type HistoryEntry,
  memoryArtifacts,
  protocolPrompt,
  protocolTools,
  renderTranscript,
  type Tokenizer,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { authorityOf, isNameable, kindOf } from "../executors/roster.ts"
import { outputText } from "../outputs/told.ts"
import type { BlobStore } from "../ports/log.ts"
import type { ModelCall, ModelMessage, ModelPart } from "../ports/model.ts"
import { entryOf, goalOf, type Means } from "./declared-history.ts"
import { messageOf, mostCalls } from "./plan.ts"
import { callsOf } from "./run-state.ts"

/** How many ended turns a session remembers at most; with fewer, nothing has been forgotten. */
const remembered = 32
export type Transcript = Pick<ModelCall, "messages" | "system" | "tools"> & {
  turns: number
  warnings: readonly string[]
}

/** What the model is told: the thread's turns in the order in which they ended, without reasoning, and this turn so far. */
export function transcript(
  state: SessionState,
  turn_id: string,
  agent: Agent,
  blobs: BlobStore,
  /** Needed for agents that declare. */
  tokenizer: Tokenizer | undefined,
): Transcript {
  const { turns } = state.entities
  const thread_id = turns[turn_id]?.thread_id
  const told = Object.values(turns)
    .filter((turn) => turn.thread_id === thread_id && turnEnded(turn))
    .filter((turn) => requestsOf(state, turn.turn_id).length > 0)
    .sort((a, b) => (a.ended_sequence ?? 0) - (b.ended_sequence ?? 0))
  const own = turns[turn_id]
  const all = own === undefined ? told : [...told, own]
  const forgotten = Object.values(turns).filter(turnEnded).length >= remembered
  const about = {
    turns: told.length,
    warnings: forgotten
      ? [`Turns before the last ${remembered} of the session are not told to the model.`]
      : [],
  }
  return {
    ...about,
    ...(tokenizer === undefined
      ? calling(state, all, agent, blobs)
      : declaring(all, { state, agent, blobs, tokenizer })),
  }
}

/** The finished requests of a turn, in their order. */
export function requestsOf(state: SessionState, turn_id: string): ModelRequest[] {
  return Object.values(state.entities.modelRequests)
    .filter((request) => request.turn_id === turn_id && request.status === "completed")
    .sort((a, b) => a.opened - b.opened)
}

/** For models that call tools: messages with calls, each followed by its results. */
function calling(state: SessionState, turns: readonly Turn[], agent: Agent, blobs: BlobStore) {
  const messages = turns.flatMap((turn): ModelMessage[] => [
    { role: "user", parts: turn.input },
    ...requestsOf(state, turn.turn_id).flatMap((request) => exchange(state, request, blobs)),
    ...ending(turn).map((parts): ModelMessage => ({ role: "assistant", parts })),
  ])
  const tools = agent.tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    input_schema,
  }))
  return {
    messages,
    ...(agent.instructions === "" ? {} : { system: agent.instructions }),
    ...(tools.length === 0 ? {} : { tools }),
  }
}

function exchange(state: SessionState, request: ModelRequest, blobs: BlobStore): ModelMessage[] {
  const { text, calls } = messageOf(request)
  if (calls.length === 0) return [{ role: "assistant", parts: text }]
  const done = callsOf(state, request)
  const parts: ModelPart[] = calls.map((call) => ({
    kind: "tool_call",
    call_id: call.id,
    tool: call.name,
    arguments: call.arguments,
  }))
  const results = calls.map((call, index): ModelPart => {
    const found = done.findLast(
      ({ cause }) => cause?.call_id === call.id || cause?.call_id === `${call.id}.${index}`,
    )
    const failed = found?.failure
    const output =
      found === undefined
        ? index < mostCalls
          ? "Not executed: the turn ended before."
          : `Not executed: one answer may make ${mostCalls} calls at most.`
        : failed === undefined
          ? outputText(found, blobs)
          : [`${failed.category}: ${failed.message}`, failed.next, outputText(found, blobs)]
              .filter(Boolean)
              .join("\n")
    return {
      kind: "tool_result",
      call_id: call.id,
      tool: call.name,
      output,
      ...(found === undefined || failed !== undefined ? { failed: true } : {}),
    }
  })
  return [
    { role: "assistant", parts: text === "" ? parts : [{ kind: "text", text }, ...parts] },
    { role: "tool", parts: results },
  ]
}

/** A turn that did not complete is told as such, so that the model does not take its work for done. */
function ending({ failure }: Turn): string[] {
  if (failure === undefined) return []
  return [`[The turn before this ended early: ${failure.category}. ${failure.reason}]`]
}

/** For models that declare: one text of all turns. */
function declaring(turns: readonly Turn[], means: Means) {
  const { state, agent } = means
  const artifacts = memoryArtifacts()
  const history = turns.flatMap((turn): HistoryEntry[] => [
    { kind: "user", text: goalOf(turn) },
    ...requestsOf(state, turn.turn_id).map((request) => entryOf(means, request, artifacts)),
    ...ending(turn).map((text): HistoryEntry => ({ kind: "answer", text })),
  ])
  const text = renderTranscript(history)
  const files = turns.flatMap(({ input }) => input.filter((part) => part.kind !== "text"))
  const authority = authorityOf(agent)
  return {
    messages: [
      {
        role: "user" as const,
        parts: files.length === 0 ? text : [{ kind: "text" as const, text }, ...files],
      },
    ],
    system: [agent.instructions, protocolPrompt(authority), roster(agent)]
      .filter((part) => part !== "")
      .join("\n\n"),
    tools: protocolTools(authority),
  }
}

/** The executors by name, for a declaration to name. */
function roster({ tools }: Agent): string {
  const lines = tools.filter(isNameable).map((tool) => {
    const { name, description, capabilities, input_schema } = tool
    const able = capabilities.length === 0 ? "" : ` (${capabilities.join(", ")})`
    return `- \`${name}\`, ${kindOf(tool)}${able}: ${description}\n  args: ${JSON.stringify(input_schema)}`
  })
  return lines.length === 0 ? "" : `# Executors\n\n${lines.join("\n")}`
}
