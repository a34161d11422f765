import { readScenario, replayProblems, scenarioNames } from "@factum/conformance"
import { describe, expect, test } from "vitest"
import { play } from "./play.ts"

const needed = [
  "approval-after-restart",
  "approval-expired",
  "approval-granted",
  "approval-rejected",
  "budget-exhausted",
  "budget-raised",
  "coding-session",
  "compaction",
  "delegation",
  "delegation-approval",
  "failed-tool-recovered",
  "hook-rewrite",
  "interrupt-asking",
  "interrupt-blocked",
  "interrupt-delegation",
  "interrupt-preparing",
  "interrupt-process",
  "interrupt-question",
  "interrupt-queued",
  "interrupt-retrying",
  "interrupt-summary",
  "interrupt-streaming",
  "interrupt-tool",
  "interrupt-waiting",
  "interrupt-waiting-resource",
  "long-process-stdin",
  "mcp-tool",
  "output-spill",
  "parallel-tools",
  "pipeline",
  "plan-decision",
  "protocol-answer",
  "protocol-dag",
  "protocol-decision",
  "provider-fallback",
  "queue",
  "rollback",
  "sandbox-violation",
  "solo-answer",
  "steering",
  "structured-input",
]

test("the scenarios that are promised are there", () => {
  expect(scenarioNames()).toEqual(expect.arrayContaining(needed))
})

describe.each(scenarioNames())("%s", (name) => {
  const kept = readScenario(name)
  const playing = play(kept)
  // Awaited in each test; a failure before the first of them must not be an unhandled one.
  playing.catch(() => {})

  test("gives the facts and the view that are kept", async () => {
    const { log, snapshot, defects } = await playing
    expect(defects).toEqual([])
    expect({ log, snapshot }).toEqual(kept.golden)
  })

  test("shows what its title says", async () => {
    const { streams } = await playing
    const facts = Object.values(streams).flat()
    for (const { type, payload } of kept.scenario.shows)
      expect(facts).toContainEqual(
        expect.objectContaining({ type, payload: expect.objectContaining(payload) }),
      )
  })

  test(`[RT-REC-1] ${name}: the replay of the log gives what the runtime showed`, async () => {
    const { streams, live } = await playing
    for (const [session_id, facts] of Object.entries(streams))
      expect(
        replayProblems(facts, live[session_id]).filter((problem) => !/shuffled|twice/.test(problem)),
      ).toEqual([])
  })

  test(`[RT-REC-2] ${name}: shuffled and delivered twice the facts give the same`, async () => {
    const { streams, live } = await playing
    for (const [session_id, facts] of Object.entries(streams))
      expect(replayProblems(facts, live[session_id], 7)).toEqual([])
  })
})
