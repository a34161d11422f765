import { join } from "node:path"
import type { Instrument, Kept, Scenario } from "@factum/conformance"
import { builtinTools } from "../../src/adapters/tools/index.ts"
import type { Clock, CommandHook, McpServer, Question, Tool, ToolOutcome, World } from "../../src/index.ts"

export function toolsOf(scenario: Scenario, world: World, failures: Map<string, number>): Tool[] {
  const own = Object.entries(scenario.tools).map(([name, instrument]) =>
    instrumented(name, instrument, world.clock, failures),
  )
  const builtin = builtinTools(world).filter(({ name }) => scenario.builtin.includes(name))
  return [...own, ...builtin]
}

function instrumented(name: string, given: Instrument, clock: Clock, failures: Map<string, number>): Tool {
  const { effect, output = `${name} done`, large, data, fails = 0, endless, asks } = given
  return {
    name,
    description: `The tool ${name}.`,
    owner: "builtin",
    input_schema: { type: "object" },
    effect,
    side_effects: effect === "none" ? ["read"] : ["write"],
    capabilities: [],
    check: () => [],
    touches: async () => [],
    ...(asks === undefined ? {} : { asks: () => questionOf(asks, clock) }),
    async run(_, { signal }): Promise<ToolOutcome> {
      const before = failures.get(name) ?? 0
      failures.set(name, before + 1)
      if (before < fails) return { ok: false, category: "tool_error", message: `${name} cannot do it yet.` }
      if (endless === true && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      const text = large === undefined ? output : `${output}\n${"x".repeat(large)}`
      return { ok: true, output: text, ...(data === undefined ? {} : { data }) }
    },
  }
}

function questionOf({ expires_ms, ...asks }: NonNullable<Instrument["asks"]>, clock: Clock): Question {
  const deadline =
    expires_ms === undefined ? {} : { deadline: new Date(clock.now() + expires_ms).toISOString() }
  // The schema of scenarios leaves words open that the vocabulary closes; the fact is checked before it is written.
  return { ...asks, ...deadline } as Question
}

export function hooksOf({ scenario, folder }: Kept): CommandHook[] {
  if (scenario.hook === undefined) return []
  const args = [join(folder, scenario.hook)]
  return [{ kind: "command", name: "guard", on: scenario.hook_on, command: process.execPath, args }]
}

export function mcpOf({ scenario, folder }: Kept): McpServer[] {
  if (scenario.mcp === undefined) return []
  return [{ name: "own", transport: "stdio", command: process.execPath, args: [join(folder, scenario.mcp)] }]
}
