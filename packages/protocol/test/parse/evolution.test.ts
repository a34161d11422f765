import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Executor } from "../../src/executor.ts"
import { readOutput } from "../../src/parse.ts"
import { accepted, actionsOf, fenced, graph, native, said, setup } from "./given.ts"

const folder = new URL("stored/", import.meta.url)
const text = (name: string) => readFileSync(new URL(name, folder), "utf8")
const stored = readdirSync(folder)
  .filter((name) => !name.includes(".read.") && !name.startsWith("spec-action"))
  .sort()
const messageOf = (name: string) => (name.endsWith(".md") ? said(text(name)) : native(text(name)))

const files: Executor = {
  name: "files",
  type: "tool",
  description: "",
  capabilities: ["filesystem", "search"],
}
const given = { ...setup, executors: [...setup.executors, files] }

describe("stored declarations", () => {
  it.each(stored)("[MP-POLICY-11] %s is still read to the same actions", (name) => {
    const read = readOutput(messageOf(name), given)
    if (read.kind !== "declaration") throw new Error(JSON.stringify(read))
    const { source: _, sections: __, ...declaration } = read.declaration
    const expected: unknown = JSON.parse(text(`${name.replace(/\.\w+$/, "")}.read.json`))
    expect(declaration).toEqual(expected)
  })

  it("[MP-POLICY-11] every supported version is among them", () => {
    const versions = stored.map((name) => accepted(messageOf(name), given).version)
    expect([...new Set(versions)].sort()).toEqual(["1", "2"])
  })
})

describe("the specification's examples", () => {
  it("[MP-SPEC-1] the toolbar example is read whole, with its prompts", () => {
    const message = messageOf("spec-toolbar.md")
    const declaration = accepted(message, given)
    expect(declaration).toMatchObject({ intent: "execute", title: "Toolbar Button Review", origin: "dsl" })
    expect(declaration.sections.map(({ id }) => id)).toEqual(["inspect_code.prompt", "review_toolbar.prompt"])
    expect(actionsOf(message, given)).toMatchObject([
      {
        id: "inspect_code",
        prompt_ref: "md:inspect_code.prompt",
        result_policy: { return_to_model: "summary" },
      },
      {
        id: "review_toolbar",
        depends_on: ["inspect_code"],
        context_refs: ["action:inspect_code.summary"],
        executor: { type: "agent", target: "auto", capabilities: ["code_review", "frontend"] },
        result_policy: { return_to_model: "structured", store_full: true },
      },
    ])
  })

  it.each(["spec-action-fields.json", "spec-action-registry.json"])(
    "[MP-SPEC-1] %s is read in a graph",
    (name) => {
      const actions = [{ type: "action", id: "inspect_code" }, JSON.parse(text(name))]
      const message = fenced(graph(actions), "\n## review_toolbar.prompt\n\nReview.\n")
      expect(actionsOf(message)[1]).toMatchObject({ id: "review_toolbar", operation: "review_code" })
    },
  )

  it("[MP-SPEC-2] the examples with empty graphs and the expansion are read", () => {
    expect(accepted(messageOf("spec-visible-note.md"))).toMatchObject({
      note: "I will inspect the toolbar implementation, review each button's behavior, and then return a concise issue report with evidence.",
      graph: { actions: [], persist: true },
    })
    expect(accepted(messageOf("spec-durable.json"))).toMatchObject({
      graph: { actions: [], mode: "durable", strategy: "dag" },
    })
    expect(accepted(messageOf("spec-expansion.json"))).toMatchObject({
      intent: "expand_ref",
      refs: [
        {
          ref: "runtime://run_123/actions/review_toolbar/output",
          reason: "Need exact evidence for the undo/redo finding.",
          range: { around_matches: true, context_lines: 20 },
        },
      ],
    })
  })

  it.each([
    ["spec-act.json", "execute", ["read_package"]],
    ["spec-answer.json", "answer", []],
    ["spec-done.json", "done", []],
    ["spec-dependent-calls.json", "execute", ["find_manifests", "read_package"]],
    ["spec-delegation.json", "execute", ["review_changes"]],
  ])("[MP-SPEC-3] %s is read as %s", (name, intent, ids) => {
    const declaration = accepted(messageOf(name))
    expect(declaration.intent).toBe(intent)
    expect("graph" in declaration ? declaration.graph.actions.map(({ id }) => id) : []).toEqual(ids)
  })
})
