import { readFileSync } from "node:fs"
import { applyFacts, type Envelope, emptySession, sessionSnapshot } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { fromRuntime } from "../../src/adapters/runtime/index.ts"
import { messagesOf } from "../../src/adapters/runtime/snapshot-messages.ts"
import { type AgentUiState, emptyState, type Input, reduce } from "../../src/index.ts"
import { see } from "./given.ts"

const log = new URL("../../../conformance/scenarios/protocol-answer/log.jsonl", import.meta.url)
const facts: Envelope[] = readFileSync(log, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

const shown = (events: readonly Input[]) => words(reduce(emptyState(), events))
const words = (state: AgentUiState) =>
  see("conversation", state, { sessionId: "ses_scenario" })
    .messages.filter(({ role }) => role === "assistant")
    .map(({ text }) => text.map(({ blocks }) => blocks.join("")))

describe("what the arguments of a declaration say to people", () => {
  const said = [["I look at the folder.", "There are two files."], ["Glad to help."]]

  test("stands in the conversation", () => {
    expect(shown(facts.map(fromRuntime))).toEqual(said)
  })

  test("stands there after a reload", () => {
    const { state } = applyFacts(emptySession, facts)
    expect(shown([messagesOf(sessionSnapshot(state, { history_cursor: null }))])).toEqual(said)
  })
})
