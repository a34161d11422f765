import { readFileSync, statSync } from "node:fs"
import { type Action, expandAction, parseReference, type Reason, type ReferenceScope } from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { scopeOf } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { HookCall } from "../hooks/index.ts"
import { policyIn } from "../policy/index.ts"
import { type CallPorts, mask } from "./call-ports.ts"
import { judgeCall } from "./gate.ts"
import { atPoint, type Passed, type PointPorts } from "./hook-points.ts"

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

/** Judged and recorded as a call of the reader would be; nobody is asked, so what would be asked is refused. */
async function readAllowed(ports: CallPorts, path: string): Promise<ReturnType<Files>> {
  const { agent, signal } = ports
  const tool = readerOf(agent)
  if (tool === undefined) return { ok: false, message: "this agent may not read files" }
  const before = await heard(ports, { point: "before_tool", subject: tool.name, input: { path } })
  if (before.kind !== "go") return refusedBy(before)
  const policy = policyIn(agent.policy, ports.state(), ports.turn_id, ports.now())
  const { explained, paths } = await judgeCall(tool, before.input, { ...agent, policy }, mask(ports), {
    signal,
  })
  const { operation, verdict, winner } = explained
  const payload = { evaluation_id: ports.ids.next("evaluation"), ...explained }
  const scope = scopeOf(ports.state(), ports.turn_id)
  if (!(await ports.write(() => [{ type: "permission.evaluated", ...scope, payload }])))
    return { ok: false, message: "the turn is over" }
  const [real] = paths
  if (verdict !== "allow" || real === undefined)
    return { ok: false, message: `it is not allowed by ${winner.rule}` }
  const judged = { tool: operation.name, summary: operation.summary.text, verdict, winner }
  const permitted = await heard(ports, { point: "permission", subject: operation.name, input: judged })
  if (permitted.kind !== "go") return refusedBy(permitted)
  try {
    if (statSync(real).size > mostBytes) return { ok: false, message: `it has more than ${mostBytes} bytes` }
    return { ok: true, text: readFileSync(real, "utf8") }
  } catch {
    return { ok: false, message: "it could not be read" }
  }
}

function heard(ports: CallPorts, call: HookCall): Promise<Passed> {
  const record: PointPorts["record"] = (facts) =>
    // The type and the payload of a fact stay together, which a spread of a union does not show.
    ports.write((state) => facts.map((fact) => ({ ...fact, ...scopeOf(state, ports.turn_id) }) as Draft))
  return atPoint({ ...ports, record }, call)
}

const refusedBy = (by: Exclude<Passed, { kind: "go" }>): ReturnType<Files> => ({
  ok: false,
  message: by.kind === "blocked" ? `it is not allowed: ${by.message}` : "the turn is over",
})

const readerOf = ({ tools }: Agent) => tools.find(({ name }) => name === "read_file")
