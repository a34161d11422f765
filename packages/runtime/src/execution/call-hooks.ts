import type { CallScope } from "../control/calls.ts"
import type { Draft } from "../decision.ts"
import { type HookCall, type HookPorts, runHooks } from "../hooks/index.ts"
import { blobRef } from "../outputs/spill.ts"
import type { Voice } from "../policy/index.ts"
import type { Tool } from "../ports/tool.ts"
import { givenInput } from "./call-facts.ts"
import { type CallPorts, type Input, mask, recordIn, refused } from "./call-ports.ts"

export type Deciding = {
  scope: CallScope
  tool: Tool
  input: Input
  opened: readonly Draft[]
  demanded: string | undefined
}

type Hooked = { input: Input; opened: readonly Draft[]; voices: readonly Voice[] }

/** What hooks say before the call is judged; nothing when the call ends here. */
export async function beforeTool(ports: CallPorts, deciding: Deciding): Promise<Hooked | undefined> {
  const { scope, tool, input, opened } = deciding
  const hooks = (ports.agent.hooks ?? []).filter(({ on }) => on === "before_tool")
  if (hooks.length === 0) return { input, opened, voices: [] }
  // The call is in the log before anybody else is asked about it.
  if (!(await ports.write(() => opened))) return undefined
  const call: HookCall = { point: "before_tool", subject: tool.name, input }
  const outcome = await runHooks(call, hooks, hookPorts(ports, scope))
  if (outcome.stopped) return undefined
  if (outcome.blocked !== undefined) {
    const { category, message, next } = outcome.blocked
    await ports.write(() => [{ type: "tool.failed", ...scope, payload: { category, message, next } }])
    return undefined
  }
  const wrong = refused(tool, outcome.input, tool.name)
  if (wrong !== undefined) {
    await ports.write(() => [{ type: "tool.failed", ...scope, payload: wrong }])
    return undefined
  }
  const voices = outcome.heard.map(({ hook, verdict, note }): Voice => {
    // A closed hook that failed has ended the call; one that is open has no opinion.
    const said = verdict === "error" ? "none" : verdict
    return { source: "hook", verdict: said, rule: hook, ...(note === undefined ? {} : { detail: note }) }
  })
  if (outcome.rewritten_by.length === 0) return { input, opened: [], voices }
  const rewritten = await givenInput(scope, JSON.stringify(outcome.input), ports)
  return { input: outcome.input, opened: rewritten, voices }
}

function hookPorts(ports: CallPorts, scope: CallScope): HookPorts {
  const { agent, ids, now, signal, blobs } = ports
  return {
    clock: { now },
    nextId: () => ids.next("step"),
    mask: mask(ports),
    keep: async (text) => {
      const stored = await blobs.put(Buffer.from(mask(ports)(text)))
      return "ok" in stored ? undefined : blobRef(stored, "application/json")
    },
    record: (facts) => recordIn(ports, scope, facts),
    cwd: agent.workspace.cwd,
    signal,
  }
}
