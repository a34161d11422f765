import { readFileSync } from "node:fs"
import { type Call, createHarness, type FakeExecutor, manualClock } from "../../src/harness/index.ts"
import type { Declaration, Executor, RunRecord } from "../../src/index.ts"
import { readOutput } from "../../src/parse.ts"
import { action, fence, graph, native, said } from "../parse/given.ts"

export const found =
  "Found two issues: undo/redo state is not wired through, and the table dropdown can be hidden by a higher layer."
export const sources =
  "Found Toolbar.vue, ToolbarButton.vue, toolbarConfig.ts, useToolbar.ts, useEditor.ts, and related tests."

/** Examples that are whole declarations are stored with those of earlier versions; parts of one are here. */
export const whole = (name: string): string =>
  readFileSync(new URL(`../parse/stored/spec-${name}`, import.meta.url), "utf8")
export const part = (name: string): string =>
  readFileSync(new URL(`examples/${name}`, import.meta.url), "utf8")
export const partJson = (name: string): Record<string, unknown> => JSON.parse(part(`${name}.json`))

const roles: readonly Executor[] = [
  { name: "files", type: "tool", description: "", capabilities: ["filesystem", "search"] },
  {
    name: "reviewer",
    type: "agent",
    description: "",
    capabilities: ["code_review", "frontend", "ui_action"],
  },
  { name: "read", type: "tool", description: "", capabilities: [] },
  { name: "glob", type: "tool", description: "", capabilities: [] },
]
const says: Readonly<Record<string, string>> = { files: sources, reviewer: found }

/** Reads what a model said and runs it; `calls` are those that executors were given, in order. */
export function bench(more: Readonly<Record<string, FakeExecutor>> = {}, goal = "goal") {
  const calls: Call[] = []
  const executors = Object.fromEntries(
    roles.map((role): [string, FakeExecutor] => [
      role.name,
      {
        ...role,
        work: (call) => {
          calls.push(call)
          return says[role.name] ?? `${role.name} done`
        },
      },
    ]),
  )
  const harness = createHarness({
    executors: { ...executors, ...more },
    clock: manualClock(),
    goal,
    run_id: (count) => (count === 1 ? "run_123" : `run_${count}`),
  })

  const declared = (text: string): Declaration => {
    const read = readOutput(text.trimStart().startsWith("{") ? native(text) : said(text), {
      authority: { agent: "main", enabled: true, depth: 0 },
      executors: Object.entries({ ...executors, ...more }).map(([name, fake]) =>
        typeof fake === "function"
          ? { name, type: "tool", description: "", capabilities: [] }
          : { type: "tool", description: "", capabilities: [], ...fake, name },
      ),
    })
    if (read.kind !== "declaration") throw new Error(JSON.stringify(read))
    return read.declaration
  }

  const ran = async (text: string): Promise<RunRecord> => {
    const answer = await harness.run(declared(text))
    if (!answer.ok || answer.kind !== "run") throw new Error(JSON.stringify(answer))
    return answer.record
  }
  return { harness, calls, declared, ran }
}

export const statuses = ({ state }: RunRecord): readonly string[] =>
  Object.values(state.actions).map(({ id, status }) => `${id} ${status}`)

/** An action of an example in a graph of its own, after the one that several examples depend on. */
export const inGraph = (example: object, sections = ""): string =>
  fence(graph([action("inspect_code", { executor: { type: "tool", target: "files" } }), example])) + sections
