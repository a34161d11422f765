import { definitions, type Preview, type Ref, type ToolCall } from "@factum/facts"
import type { CallScope } from "../control/calls.ts"
import { claimPlace, type Draft } from "../decision.ts"
import { readRef, type Spilled, spill } from "../outputs/spill.ts"
import type { BlobStore, Claim } from "../ports/log.ts"
import type { Tool, ToolFact, ToolOutcome } from "../ports/tool.ts"
import type { Redactor } from "../redact.ts"
import { argumentsOf } from "./plan.ts"

export type Kept = { blobs: BlobStore; redactor: Redactor }

/** A fact of a tool under the ids of its call, as far as facts of its class carry them. */
export function inCall(fact: ToolFact, scope: CallScope): Draft {
  const definition = definitions.get(fact.type)
  const allowed = new Set<string>([...(definition?.ids ?? []), ...(definition?.optional ?? [])])
  const { session_id, thread_id, turn_id, ...work } = scope
  const ids = Object.fromEntries(Object.entries(work).filter(([name]) => allowed.has(name)))
  return { ...fact, session_id, thread_id, turn_id, ...ids } as Draft
}

/** Processes are found by their ids, wherever they were started. */
export function placesOf(facts: readonly ToolFact[], { session_id, thread_id }: CallScope): Claim[] {
  return facts.flatMap((fact) =>
    fact.type === "process.started" && "process_id" in fact.payload
      ? [claimPlace(String(fact.payload.process_id), { kind: "process", session_id, thread_id })]
      : [],
  )
}

/** Opens a call: what is to be done, with the exact input. */
export async function openedCall(
  scope: CallScope,
  call: {
    tool: Tool | undefined
    name: string
    text: string
    cause: { request_id: string; call_id: string }
  },
  kept: Kept,
): Promise<Draft[]> {
  const { tool, name, cause } = call
  const given = await givenInput(scope, call.text, kept)
  return [
    {
      type: "tool.started",
      ...scope,
      payload: {
        tool: name || "unnamed",
        owner: tool?.owner ?? "unknown",
        effect: tool?.effect ?? "none",
        key: `${cause.request_id}.${cause.call_id}`,
        cause,
      },
    },
    ...given,
  ]
}

/** The input as it will be used; a later one replaces it. */
export async function givenInput(scope: CallScope, text: string, kept: Kept): Promise<Draft[]> {
  const input = await spill(text, kept.blobs, { redactor: kept.redactor, where: "arguments" })
  const input_ref = input.ref ?? recordRef(scope.tool_call_id, "input", input)
  const { preview } = input
  return [
    { type: "tool.args", ...scope, payload: { final: true, input_ref, preview } },
    ...input.facts.map((fact) => inCall(fact, scope)),
  ]
}

/** The input of a call as the log has it, or nothing when that cannot be read. */
export function recordedInput(
  { input, input_ref }: ToolCall,
  blobs: BlobStore,
): Readonly<Record<string, unknown>> | undefined {
  if (input?.whole) return argumentsOf(input.text)
  const found = input_ref === undefined ? undefined : readRef(input_ref, blobs)
  return found?.ok ? argumentsOf(Buffer.from(found.bytes).toString("utf8")) : undefined
}

export async function endedCall(
  scope: CallScope,
  outcome: ToolOutcome,
  duration_ms: number,
  kept: Kept,
): Promise<Draft[]> {
  const { output } = outcome
  const media = outcome.ok && outcome.media_type !== undefined ? { media_type: outcome.media_type } : {}
  const spilled = await spill(output ?? "", kept.blobs, { redactor: kept.redactor, ...media })
  const facts = spilled.facts.map((fact) => inCall(fact, scope))
  if (!outcome.ok) {
    const { category, next } = outcome
    const message = outcome.message || "It failed without a word."
    const told = output === undefined ? {} : content(scope.tool_call_id, spilled)
    const payload = { category, message, duration_ms, ...told, ...(next === undefined ? {} : { next }) }
    return [...facts, { type: "tool.failed", ...scope, payload }]
  }
  const data = smallData(outcome.data)
  const payload = { ...content(scope.tool_call_id, spilled), ...data, duration_ms }
  return [...facts, { type: "tool.result", ...scope, payload }]
}

const mostData = 4096

/** What is too large for a fact stands in the output only. */
function smallData(data: unknown): { data?: Record<string, unknown> } {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return {}
  return JSON.stringify(data).length > mostData ? {} : { data: { ...data } }
}

function content(tool_call_id: string, spilled: Spilled): { output_refs: Ref[]; preview: Preview } {
  return {
    output_refs: [spilled.ref ?? recordRef(tool_call_id, "output", spilled)],
    preview: spilled.preview,
  }
}

/** What is short stands in the fact itself, whole; its ref says so. */
function recordRef(tool_call_id: string, part: string, { digest, bytes }: Spilled): Ref {
  return { uri: `record:${tool_call_id}/${part}`, kind: "record", digest, bytes }
}
