import type { Envelope } from "@factum/facts"
import type { Agent, RuntimeParts, Tool } from "../../src/index.ts"
import { ends, openRuntime, submit, until } from "../harness.ts"
import { agentWith, type Line, linesModel } from "../loop/given.ts"

/** A declaration in the full form, with sections after it. */
export const declare = (intent: string, payload: object, sections = "", more: object = {}): Line => {
  const whole = { type: "agent.protocol", version: "1", intent, payload, ...more }
  return { text: ["```json agent-protocol", JSON.stringify(whole), "```", sections].join("\n") }
}

type Node = { id: string; executor?: object } & Record<string, unknown>

const graph = (actions: readonly Node[], more: object = {}) => ({
  type: "action_graph",
  actions: actions.map((action) => ({ type: "action", ...action })),
  ...more,
})

export const execute = (actions: readonly Node[], sections = "", more: object = {}): Line =>
  declare("execute", graph(actions), sections, more)
export const plan = (actions: readonly Node[]): Line => declare("plan", graph(actions))
export const revise = (run_id: string, actions: readonly Node[]): Line =>
  declare("revise", graph(actions, { run_id }))
export const decide = (run_id: string, choice: string, action_id?: string): Line =>
  declare("decide", { type: "decision", run_id, choice, ...(action_id === undefined ? {} : { action_id }) })

export const tool = (target: string) => ({ type: "tool", target })
export const full = { return_to_model: "full" }

/** The run that the model was told of last. */
export const runIdIn = (text: unknown): string =>
  [...String(text).matchAll(/run_id: `(req_\w+)`/g)].at(-1)?.[1] ?? ""

type Lines = Parameters<typeof linesModel>[0]

/** Opens a runtime whose agent declares, and says something to it. */
export async function declaring(
  lines: Lines,
  tools: readonly Tool[],
  more: Partial<Agent> = {},
  parts: Partial<RuntimeParts> & { directory?: string } = {},
) {
  const { model, calls } = linesModel(lines)
  const agent = agentWith(tools, { protocol: true, ...more })
  const opened = await openRuntime(model, { agent, ...parts })
  const { session_id, turn_id } = await submit(opened.runtime, "Go on with it")
  const told = (index: number) => String(calls[index]?.messages[0]?.parts ?? "")
  return { ...opened, session_id, turn_id, calls, told }
}

export async function declared(...given: Parameters<typeof declaring>) {
  const run = await declaring(...given)
  const seen: Envelope[] = await until(run.runtime, run.session_id, ends("turn.completed"))
  return { ...run, seen }
}
