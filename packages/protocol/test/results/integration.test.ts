import { describe, expect, it } from "vitest"
import { outputRef } from "../../src/artifacts.ts"
import type { Declaration } from "../../src/declaration/normalized.ts"
import { createHarness, everyone, manualClock, registered } from "../../src/harness/index.ts"
import { sha256 } from "../../src/hash.ts"
import { readOutput } from "../../src/parse.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { longText } from "./fixtures.ts"

const long = longText(300)
const calls: string[] = []
const executors = {
  read: ({ action }: { action: { id: string } }) => {
    calls.push(action.id)
    return long
  },
}
const setup = {
  authority: everyone,
  executors: Object.entries(executors).map(([name, fake]) => registered(name, fake)),
}

const message = (body: object, sections = "") =>
  `\`\`\`json agent-protocol\n${JSON.stringify({ type: "agent.protocol", version: "1", ...body })}\n\`\`\`\n${sections}`

function declared(text: string): Declaration {
  const read = readOutput({ text, calls: [], complete: true }, setup)
  if (read.kind !== "declaration") throw new Error(JSON.stringify(read))
  return read.declaration
}

const execute = (action: object, sections = "") =>
  message(
    {
      intent: "execute",
      payload: {
        type: "action_graph",
        actions: [{ type: "action", id: "look", executor: { type: "tool", target: "read" }, ...action }],
      },
    },
    sections,
  )

const harness = () => createHarness({ executors, clock: manualClock(), tokenizer: o200k, budget: 50_000 })

async function observation(action: object) {
  const answer = await harness().run(declared(execute(action)))
  if (!answer.ok || answer.kind !== "run") throw new Error(JSON.stringify(answer))
  return answer.record.observations.look
}

describe("from a declaration to what returns", () => {
  it.each([
    ["declared", { result_policy: { return_to_model: "summary" } }],
    ["omitted", {}],
  ])("[MP-RES-2] a summary with a reference returns, not the output: %s", async (_, policy) => {
    const told = await observation(policy)
    expect(told).toMatchObject({ policy: "summary", refs: [outputRef("run_1", "look")] })
    expect(told?.content.length).toBeLessThan(200)
    expect(told?.content).not.toContain("entry 7 ")
    expect(told?.output).toEqual({ characters: long.length, hash: sha256(long), stored: true })
  })

  it("[MP-RES-10] storing is the default, and false is obeyed", async () => {
    expect((await observation({ result_policy: { return_to_model: "none" } }))?.output?.stored).toBe(true)
    expect(
      (await observation({ result_policy: { return_to_model: "none", store_full: false } }))?.output?.stored,
    ).toBe(false)
  })

  it("[MP-EXPAND-1] an expansion answers from what is stored and executes nothing again", async () => {
    calls.length = 0
    const runtime = harness()
    await runtime.run(declared(execute({ result_policy: { return_to_model: "on_demand" } })))
    const refs = [
      {
        ref: "runtime://run_1/actions/look/output",
        reason: "Need exact evidence.",
        range: { from: 7, to: 8 },
      },
    ]
    const answer = await runtime.run(declared(message({ intent: "expand_ref", payload: { refs } })))
    const text = long.split("\n").slice(6, 8).join("\n")
    expect(answer).toEqual({
      ok: true,
      kind: "expansion",
      expansions: [
        { ref: refs[0]?.ref, reason: "Need exact evidence.", ok: true, text, tokens: o200k.count(text) },
      ],
    })
    expect(calls).toEqual(["look"])
  })

  it("[MP-REF-5] source, sections, hash of the prompt and the actions can be read back", async () => {
    const source = execute({ prompt_ref: "md:look.prompt" }, "\n## look.prompt\n\nLook closely.\n")
    const declaration = declared(source)
    const answer = await harness().run(declaration)
    if (!answer.ok || answer.kind !== "run") throw new Error("refused")
    const stored = answer.record.declaration
    expect(stored.source).toBe(source)
    expect(stored.sections).toEqual([
      { id: "look.prompt", heading: "look.prompt", level: 2, text: "Look closely." },
    ])
    expect("graph" in stored && stored.graph.actions.map(({ id, prompt_ref }) => [id, prompt_ref])).toEqual([
      ["look", "md:look.prompt"],
    ])
  })
})
