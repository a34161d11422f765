import { z } from "zod"
import { defineTool } from "../adapters/tools/define.ts"
import type { Tool, ToolOutcome, ToolRun } from "../ports/tool.ts"
import type { Delegate } from "./child-agent.ts"

export type Order = { delegate: Delegate; task: string }
export type HandOut = (order: Order, run: ToolRun) => Promise<ToolOutcome>

/** How work is handed to other agents: one executor each where it is declared, one tool for all where it is called. */
export function delegationTools(delegates: readonly Delegate[], protocol: boolean, handOut: HandOut): Tool[] {
  const [first, ...others] = delegates
  if (first === undefined) return []
  return protocol
    ? delegates.map((delegate) => asExecutor(delegate, handOut))
    : [asTool([first, ...others], handOut)]
}

/** What a child may do is judged in the child; handing work out touches nothing by itself. */
const nature = { effect: "none", side_effects: [] } as const

const asExecutor = (delegate: Delegate, handOut: HandOut): Tool => ({
  ...defineTool({
    name: delegate.name,
    description: delegate.description,
    input: z.looseObject({ task: z.string().min(1).optional() }),
    ...nature,
    capabilities: delegate.capabilities,
    touches: async () => [],
    run: ({ task, ...input }, run) => {
      const given = Object.keys(input).length === 0 ? "" : `\n\nInput: ${JSON.stringify(input)}`
      return handOut({ delegate, task: `${task ?? delegate.description}${given}` }, run)
    },
  }),
  kind: "agent",
})

function asTool(delegates: readonly [Delegate, ...Delegate[]], handOut: HandOut): Tool {
  const [first] = delegates
  const list = delegates.map(({ name, description }) => `${name}: ${description}`).join(" ")
  return {
    ...defineTool({
      name: "delegate",
      description: `Hands a task to another agent, which works on it alone and reports back. It knows only what the task says. Agents: ${list}`,
      input: z.strictObject({
        agent: z.enum([first.name, ...delegates.slice(1).map(({ name }) => name)]),
        task: z.string().min(1).describe("All that it needs to know: goal, place, limits, what to report."),
      }),
      ...nature,
      capabilities: ["delegation"],
      touches: async () => [],
      run: ({ agent, task }, run) =>
        handOut({ delegate: delegates.find(({ name }) => name === agent) ?? first, task }, run),
    }),
    kind: "agent",
  }
}
