import { readFileSync, statSync } from "node:fs"
import { type Action, expandAction, parseReference, type Reason, type ReferenceScope } from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { type CallPorts, mask } from "./call-ports.ts"
import { judgeCall } from "./gate.ts"

const mostBytes = 1_048_576

const hasRefs = ({ context_refs, prompt_ref }: Action): boolean =>
  context_refs.length > 0 || prompt_ref !== undefined

/** Why an action that refers to something cannot have it; files are looked at when it starts. */
export function unresolved(action: Action, scope: () => ReferenceScope): Reason | undefined {
  if (!hasRefs(action)) return undefined
  const expanded = expandAction(action, { ...scope(), readFile: () => ({ ok: true, text: "" }) })
  return expanded.ok ? undefined : expanded.reason
}

export type Files = NonNullable<ReferenceScope["readFile"]>

/** The files that an action refers to, as far as the agent may read them without being asked for. */
export async function filesFor(ports: CallPorts, action: Action): Promise<Files> {
  const refs = [...action.context_refs, ...(action.prompt_ref === undefined ? [] : [action.prompt_ref])]
  const found = new Map<string, ReturnType<Files>>()
  for (const ref of refs) {
    const parsed = parseReference(ref, "")
    if (!parsed.ok || parsed.value.kind !== "file") continue
    found.set(parsed.value.path, await readAllowed(ports, parsed.value.path))
  }
  return (path) => found.get(path) ?? { ok: false, message: "it is not among the references of the action" }
}

async function readAllowed(ports: CallPorts, path: string): Promise<ReturnType<Files>> {
  const { agent } = ports
  const tool = readerOf(agent)
  if (tool === undefined) return { ok: false, message: "this agent may not read files" }
  const { explained, paths } = await judgeCall(tool, { path }, agent, mask(ports))
  const [real] = paths
  if (explained.verdict !== "allow" || real === undefined)
    return { ok: false, message: `it is not allowed by ${explained.winner.rule}` }
  try {
    if (statSync(real).size > mostBytes) return { ok: false, message: `it has more than ${mostBytes} bytes` }
    return { ok: true, text: readFileSync(real, "utf8") }
  } catch {
    return { ok: false, message: "it could not be read" }
  }
}

const readerOf = ({ tools }: Agent) => tools.find(({ name }) => name === "read_file")
