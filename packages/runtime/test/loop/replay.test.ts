import { instruction } from "@factum/protocol"
import { o200k } from "@factum/protocol/tokens"
import { describe, expect, it } from "vitest"
import { declared, execute, revise, runIdIn, tool } from "../executors/given.ts"
import { facts, submit, until } from "../harness.ts"
import { reader } from "./given.ts"

const closing = "## Protocol capabilities"
const turnsOf = (text: string) => text.slice(0, text.lastIndexOf(closing))
const full = { return_to_model: "full" }
const fails = () => ({ ok: false, category: "tool_error", message: "WRONG PLAN" }) as const

describe("the transcript of a runtime", () => {
  it("[MP-TRANS-7] capabilities, output requirements and the instruction follow the last turn", async () => {
    const look = reader("look", { capabilities: ["filesystem"] })
    const { told } = await declared(
      [execute([{ id: "a", executor: tool("look") }]), { text: "Done." }],
      [look],
    )
    for (const text of [told(0), told(1)]) {
      const after = text.slice(text.lastIndexOf("</turn>"))
      expect(after).toContain(`${closing}\n\n- \`look\` (tool): `)
      expect(after).toContain("Capabilities: filesystem.")
      expect(after).toContain("## Output requirements")
      expect(after).toContain('Persist (`"persist": true`) when')
      expect(after.endsWith(instruction)).toBe(true)
    }
  })

  it("[MP-REPLAY-3] a request begins with the turns of the one before", async () => {
    const look = reader("look")
    const { runtime, session_id, calls, told } = await declared(
      [
        execute([{ id: "a", executor: tool("look") }]),
        execute([{ id: "a", executor: tool("look") }]),
        { text: "One." },
      ],
      [look],
    )
    const { turn_id } = await submit(runtime, "And again?", { session_id })
    await until(runtime, session_id, (facts) =>
      facts.some((fact) => fact.type === "turn.completed" && fact.turn_id === turn_id),
    )
    expect(calls.length).toBeGreaterThan(3)
    for (let at = 1; at < calls.length; at++)
      expect(turnsOf(told(at)).startsWith(turnsOf(told(at - 1)))).toBe(true)
  })

  it("[MP-NOISE-1] after a revision the model is told no more of the plan that it replaced", async () => {
    const good = reader("good", { does: () => ({ ok: true, output: "KEPT" }) })
    const bad = reader("bad", { does: fails })
    const { told } = await declared(
      [
        execute([
          { id: "kept", executor: tool("good"), result_policy: full },
          { id: "lost", executor: tool("bad"), description: "ABANDONED", depends_on: ["kept"] },
        ]),
        (call) =>
          revise(runIdIn(call.messages[0]?.parts), [
            { id: "kept", executor: tool("good") },
            { id: "other", executor: tool("good"), depends_on: ["kept"] },
          ]),
        { text: "Done." },
      ],
      [good, bad],
    )
    expect(told(1)).toContain("WRONG PLAN")
    expect(told(2)).toMatch(/Purpose: Replaced by run `req_\w+`\./)
    expect(told(2)).toMatch(/Revises: run `req_\w+`, of which only completed results still count\./)
    expect(told(2)).not.toContain("WRONG PLAN")
    expect(told(2)).not.toContain("ABANDONED")
  })

  it("[MP-NOISE-3] what is left out of a request stays in the log, whole and unchanged", async () => {
    const good = reader("good", { does: () => ({ ok: true, output: `KEPT ${"word ".repeat(500)}END` }) })
    const bad = reader("bad", { does: fails })
    const plan = [
      { id: "kept", executor: tool("good") },
      { id: "lost", executor: tool("bad"), description: "ABANDONED", depends_on: ["kept"] },
    ]
    const { runtime, session_id, calls, told } = await declared(
      [
        execute(plan),
        (call) => revise(runIdIn(call.messages[0]?.parts), [{ id: "kept", executor: tool("good") }]),
        { text: "One." },
        { text: "Two." },
      ],
      [good, bad],
    )
    const before = facts(runtime, session_id)
    const { turn_id } = await submit(runtime, "And?", { session_id })
    await until(runtime, session_id, (seen) =>
      seen.some((fact) => fact.type === "turn.completed" && fact.turn_id === turn_id),
    )
    expect(facts(runtime, session_id).slice(0, before.length)).toEqual(before)
    const log = JSON.stringify(before)
    for (const marker of ["ABANDONED", "WRONG PLAN", "END"]) {
      expect(log).toContain(marker)
      expect(told(calls.length - 1)).not.toContain(marker)
    }
  })

  it("[MP-RES-13] what all results say stays in the part of the window that they may take", async () => {
    const big = reader("big", { does: () => ({ ok: true, output: "word ".repeat(3000) }) })
    const actions = Array.from({ length: 6 }, (_, at) => ({
      id: `a${at}`,
      executor: tool("big"),
      result_policy: full,
    }))
    const { told } = await declared([execute(actions), { text: "Done." }], [big], {
      window: { tokens: 32_000, reserve_tokens: 8_000 },
    })
    expect(told(1)).toContain("Shortened: a summary had room in this request")
    expect(o200k.count(told(1))).toBeLessThan(12_000 + 3_000)
    expect(told(1)).toContain("word word")
  })
})
