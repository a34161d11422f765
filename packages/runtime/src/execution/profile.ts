import type { SessionState } from "@factum/facts"
import type { Agent } from "../agent.ts"
import type { Capability, TaskProfile } from "../routing/index.ts"
import type { Transcript } from "./transcript.ts"

/** A rough measure; what was really used is recorded after each request. */
const charactersPerToken = 4
const usualAnswer = 1_000

const kinds: Readonly<Record<string, Capability>> = { image: "images", audio: "audio", document: "documents" }

/** What the next request of a turn asks of a model. */
export function profileOf(
  state: SessionState,
  turn_id: string,
  told: Transcript,
  { model }: Agent,
): TaskProfile {
  const { messages, system = "", tools = [] } = told
  const turn = state.entities.turns[turn_id]
  const input = [...(turn?.input ?? []), ...(turn?.steered ?? []).flatMap((steer) => steer.input)]
  const needs = new Set<Capability>(tools.length === 0 ? [] : ["tools"])
  for (const { kind } of input) {
    const need = kinds[kind]
    if (need !== undefined) needs.add(need)
  }
  const characters = JSON.stringify([messages, system, tools]).length
  return {
    profile: tools.length === 0 ? "answer" : "work",
    needs: [...needs],
    input_tokens: Math.ceil(characters / charactersPerToken),
    output_tokens: usualAnswer,
    ...(model === undefined ? {} : { pinned: model }),
  }
}
