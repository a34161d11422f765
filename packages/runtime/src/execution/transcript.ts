import { type ModelRequest, type SessionState, type Turn, turnEnded } from "@factum/facts"
import {
  buildContext,
  closingFor,
  epochOf,
  type HistoryEntry,
  memoryArtifacts,
  protocolPrompt,
  protocolTools,
  type Tokenizer,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { boundaryIn, boundaryText } from "../context/boundary.ts"
import type { Passage } from "../context/passages.ts"
import { sourceParts } from "../context/sources.ts"
import { roomFor } from "../context/summarizer.ts"
import { roomOf } from "../context/window.ts"
import { authorityOf, executorsOf, isNameable } from "../executors/roster.ts"
import { outputText } from "../outputs/told.ts"
import type { BlobStore } from "../ports/log.ts"
import type { ModelCall, ModelMessage, ModelPart } from "../ports/model.ts"
import type { Recall } from "../recall.ts"
import type { Offer } from "../routing/index.ts"
import { cutOf, notExecuted } from "./cut-answer.ts"
import { entryOf, goalOf, type Means } from "./declared-history.ts"
import { mostCalls } from "./plan.ts"
import type { Replays } from "./replays.ts"
import { callsOf } from "./run-state.ts"
import { messageOf, shownText } from "./spoken.ts"

export type Transcript = Pick<ModelCall, "messages" | "system" | "tools"> & {
  turns: number
  warnings: readonly string[]
  replays: Replays
}

/** Where what is told comes from beside the state. */
export type Telling = { blobs: BlobStore; recall: Recall; offers: readonly Offer[] }

/**
 * What the model is told: the thread's turns in the order in which they ended, without reasoning, and this turn so far,
 * with the answers that its own model may have back as it gave them.
 */
export function transcript(
  remembered: SessionState,
  turn_id: string,
  agent: Agent,
  { blobs, recall, offers }: Telling,
  /** Needed for agents that declare. */
  tokenizer: Tokenizer | undefined,
): Transcript {
  const thread_id = remembered.entities.turns[turn_id]?.thread_id
  const { boundary, warnings } = boundaryIn(remembered, thread_id ?? "", blobs)
  const after = boundary?.to ?? 0
  const state = recall.since(remembered, after)
  const told = toldTurns(state, thread_id, after)
  const own = state.entities.turns[turn_id]
  const all = own === undefined ? told : [...told, own]
  const about = { turns: told.length, warnings }
  const { carried } = roomFor(offers, agent).room
  const before = boundary === undefined ? undefined : boundaryText(boundary, carried)
  const history = { turns: all, after, before }
  return {
    ...about,
    ...(tokenizer === undefined
      ? calling(state, { ...history, turn_id }, agent, blobs)
      : declaring(history, { state, agent, blobs, tokenizer })),
  }
}

/** What is told: the turns, the sequence after which they are, and what stands for all before. */
type Told = { turns: readonly Turn[]; after: number; before: string | undefined }

/** Ended turns in which the model spoke, in the order of their ends. */
function toldTurns(state: SessionState, thread_id: string | undefined, after: number): Turn[] {
  return Object.values(state.entities.turns)
    .filter((turn) => turn.thread_id === thread_id && turnEnded(turn) && (turn.ended_sequence ?? 0) > after)
    .filter((turn) => requestsOf(state, turn.turn_id).length > 0)
    .sort((a, b) => (a.ended_sequence ?? 0) - (b.ended_sequence ?? 0))
}

type Moment = { said: Turn["input"] } | { asked: ModelRequest }

/** What was said to a turn and what the model gave, in their order. A turn that goes on keeps all that was said to it. */
function momentsOf(state: SessionState, turn: Turn, after: number): Moment[] {
  const asked = requestsOf(state, turn.turn_id).filter(({ opened }) => opened > after)
  const moments = [
    ...turn.steered.map(({ sequence, input }) => ({ at: sequence, moment: { said: input } })),
    ...asked.map((request) => ({ at: request.opened, moment: { asked: request } })),
  ]
  const sorted = moments.sort((a, b) => a.at - b.at).map(({ moment }) => moment)
  return [{ said: turn.input }, ...sorted]
}

/** The thread in stretches that can be summed up one by one. */
export function passagesOf(
  state: SessionState,
  thread_id: string,
  after: number,
  blobs: BlobStore,
): Passage[] {
  const active = Object.values(state.entities.turns).filter(
    (turn) => turn.thread_id === thread_id && !turnEnded(turn),
  )
  return [...toldTurns(state, thread_id, after), ...active].flatMap((turn) => {
    const passages: Passage[] = []
    let said: ModelMessage[] = []
    for (const moment of momentsOf(state, turn, after)) {
      if ("said" in moment) said.push({ role: "user", parts: moment.said })
      else {
        const messages = [...said, ...exchange(state, moment.asked, blobs)]
        passages.push({ opened: moment.asked.opened, messages })
        said = []
      }
    }
    return passages
  })
}

/** The finished requests of a turn, in their order. */
export function requestsOf(state: SessionState, turn_id: string): ModelRequest[] {
  return Object.values(state.entities.modelRequests)
    .filter((request) => request.turn_id === turn_id && request.status === "completed")
    .sort((a, b) => a.opened - b.opened)
}

/** For models that call tools: messages with calls, each followed by its results. */
function calling(
  state: SessionState,
  { turns, after, before, turn_id }: Told & { turn_id: string },
  agent: Agent,
  blobs: BlobStore,
) {
  const replays = new Map<ModelMessage, ModelRequest>()
  const told = turns.flatMap((turn): ModelMessage[] => [
    ...momentsOf(state, turn, after).flatMap((moment, at): ModelMessage[] => {
      if ("asked" in moment) {
        const [answer, ...results] = exchange(state, moment.asked, blobs)
        if (turn.turn_id === turn_id && moment.asked.replay_ref !== undefined)
          replays.set(answer, moment.asked)
        return [answer, ...results]
      }
      const sources = at === 0 ? sourceParts(turn, blobs) : []
      return [{ role: "user", parts: [...moment.said, ...sources] }]
    }),
    ...ending(turn).map((parts): ModelMessage => ({ role: "assistant", parts })),
  ])
  const messages = before === undefined ? told : [{ role: "user" as const, parts: before }, ...told]
  const tools = agent.tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    input_schema,
  }))
  return {
    messages,
    replays,
    ...(agent.instructions === "" ? {} : { system: agent.instructions }),
    ...(tools.length === 0 ? {} : { tools }),
  }
}

/** What the model said, then what became of its calls. */
function exchange(
  state: SessionState,
  request: ModelRequest,
  blobs: BlobStore,
): [ModelMessage, ...ModelMessage[]] {
  const { calls } = messageOf(request)
  const text = shownText(request)
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
        ? cutOf(request) !== undefined
          ? notExecuted
          : index < mostCalls
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
function declaring({ turns, after, before }: Told, means: Means) {
  const { state, agent, blobs } = means
  const artifacts = memoryArtifacts()
  const told = turns.flatMap((turn): HistoryEntry[] => [
    ...momentsOf(state, turn, after).map((moment, at): HistoryEntry => {
      if ("asked" in moment) return entryOf(means, moment.asked, artifacts)
      const sources = at === 0 ? sourceParts(turn, blobs) : []
      return { kind: "user", text: goalOf({ ...turn, input: [...moment.said, ...sources] }) }
    }),
    ...ending(turn).map((text): HistoryEntry => ({ kind: "answer", text })),
  ])
  const boundary: HistoryEntry[] = before === undefined ? [] : [{ kind: "boundary", text: before }]
  const authority = authorityOf(agent)
  const history = [...boundary, ...told]
  const { text } = buildContext({
    history,
    closing: closingFor(executorsOf(agent), authority),
    replay: { epoch: epochOf(history, entriesBetweenEpochs) },
    budget: resultTokens(agent),
    tokenizer: means.tokenizer,
  })
  const said = turns.flatMap(({ input, steered }) => [...input, ...steered.flatMap((steer) => steer.input)])
  const files = said.filter((part) => part.kind !== "text")
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
    // All of it is one text, in which there is no place for an answer as it was given.
    replays: new Map(),
  }
}

/** Old turns are told in short once in so many entries: each time costs one miss of the provider's cache. */
const entriesBetweenEpochs = 16
/** What results may take of a window that nobody has said the size of. */
const mostResultTokens = 64_000

const resultTokens = ({ window = {} }: Agent): number =>
  window.tokens === undefined ? mostResultTokens : Math.floor(roomOf(window, undefined).limit / 2)

/** What each executor takes; what it does stands in the request, beside the other capabilities. */
function roster({ tools }: Agent): string {
  const lines = tools
    .filter(isNameable)
    .map(({ name, input_schema }) => `- \`${name}\`: ${JSON.stringify(input_schema)}`)
  return lines.length === 0 ? "" : `# Arguments of the executors\n\n${lines.join("\n")}`
}
