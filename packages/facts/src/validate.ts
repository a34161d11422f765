import { z } from "zod"
import type { EventDefinition } from "./define.ts"
import { ambientIds, type Envelope, type ScopeId, scopeIds, type WorkId, workIds } from "./envelope.ts"
import { definitions, type RuntimeEvent } from "./events/index.ts"
import { idPattern } from "./ids.ts"
import { Ref } from "./refs.ts"

export type IssueCode =
  | "not_an_object"
  | "missing_field"
  | "invalid_field"
  | "unknown_field"
  | "unknown_type"
  | "unsupported_version"
  | "missing_id"
  | "not_applicable_id"
  | "id_mismatch"
  | "invalid_payload"
export type Issue = { code: IssueCode; field: string; message: string }

export type Validated<F> =
  | { ok: true; fact: F; warnings: readonly Issue[] }
  | { ok: false; issues: readonly Issue[] }

/** A vendor's own class: `x-<vendor>.<name>`, only ever beside a normalized one. */
export const vendorType = /^x-[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9_.-]*$/
export const isVendorType = (type: string): boolean => vendorType.test(type)

/** A fact as the log keeps it: a normalized event, or a vendor's event that readers skip. */
export type Fact = Envelope
export type Draft = Omit<Envelope, "event_id" | "timestamp" | "sequence" | "schema_version">

type Mode = "append" | "draft" | "read"

/** What an appended or exchanged fact must be: its class is normalized or namespaced. */
export const validateFact = (value: unknown): Validated<Fact> => check(value, "append", definitions)

/** The same for a fact that the runtime has not yet stamped with id, time, sequence and version. */
export const validateDraft = (value: unknown): Validated<Draft> => check(value, "draft", definitions)

/** For readers of foreign logs: a type they do not know is kept with a warning instead of refused. */
export const readFact = (value: unknown): Validated<Fact> => check(value, "read", definitions)

/** Tells the compiler what `validateFact` has proven. */
export function isRuntimeEvent(fact: Envelope): fact is Envelope & RuntimeEvent {
  return definitions.has(fact.type)
}

const timePattern = z.regexes.datetime({})
const stamped: ReadonlySet<string> = new Set(["event_id", "timestamp", "sequence", "schema_version"])
const refs = z.array(Ref)

const isId = (value: unknown): boolean => typeof value === "string" && idPattern.test(value)
const isTraceId = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= 64
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1

/** One test per envelope field. Written by hand: this runs for every streamed chunk. */
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => typeof value === "string" && value.length > 0 && value.length <= 120,
  event_id: isId,
  timestamp: (value) => typeof value === "string" && timePattern.test(value),
  sequence: isCount,
  schema_version: isCount,
  runtime_id: isId,
  ...Object.fromEntries([...scopeIds, ...workIds].map((name) => [name, isId])),
  trace_id: isTraceId,
  span_id: isTraceId,
  payload: isObject,
  refs: (value) => refs.safeParse(value).success,
}
const fieldTests = new Map(Object.entries(fields))

type Plan = { needed: readonly (ScopeId | WorkId)[]; foreign: readonly WorkId[] }
const plans = new WeakMap<EventDefinition, Plan>()

const scopeNeeds = { runtime: 0, session: 1, thread: 2, turn: 3 } as const

function planOf(definition: EventDefinition): Plan {
  const known = plans.get(definition)
  if (known) return known
  const allowed = new Set<WorkId>([...definition.ids, ...definition.optional, ...ambientIds])
  const plan = {
    needed: [...scopeIds.slice(0, scopeNeeds[definition.scope]), ...definition.ids],
    foreign: workIds.filter((id) => !allowed.has(id)),
  }
  plans.set(definition, plan)
  return plan
}

/** The shared check; the table of definitions is a parameter so that other versions can be tried. */
export function check(
  value: unknown,
  mode: Mode,
  known: ReadonlyMap<string, EventDefinition>,
): Validated<Envelope> {
  if (!isObject(value)) return refused("not_an_object", "", "A fact is an object.")
  const issues: Issue[] = []
  for (const field in value) {
    const passes = fieldTests.get(field)
    if (passes === undefined || (mode === "draft" && stamped.has(field))) {
      issues.push({ code: "unknown_field", field, message: `A fact has no field ${field} here.` })
    } else if (value[field] !== undefined && !passes(value[field])) {
      issues.push({ code: "invalid_field", field, message: `${field} is not well formed.` })
    }
  }
  requireFields(value, mode, issues)
  if (issues.length > 0 || !isEnvelope(value)) return { ok: false, issues }
  requireLinks(value, mode, issues)

  const definition = known.get(value.type)
  if (definition === undefined) return unknownType(value, mode, issues)
  requireIds(value, planOf(definition), issues)

  const current = mode === "draft" ? value : upcast(value, definition)
  if (current === undefined) {
    const message = `${value.type} is known up to version ${definition.version}, not in ${value.schema_version}.`
    return {
      ok: false,
      issues: [...issues, { code: "unsupported_version", field: "schema_version", message }],
    }
  }
  const parsed = definition.payload.safeParse(current.payload)
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      issues.push({ code: "invalid_payload", field: ["payload", ...path].join("."), message })
    }
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, fact: current, warnings: none }
}
const none: readonly Issue[] = []

function requireFields(value: Record<string, unknown>, mode: Mode, issues: Issue[]): void {
  for (const field of mode === "draft" ? draftFields : factFields) {
    if (value[field] === undefined) {
      issues.push({ code: "missing_field", field, message: `A fact needs ${field}.` })
    }
  }
}
const draftFields = ["type", "payload"] as const
const factFields = ["type", "event_id", "timestamp", "sequence", "schema_version", "payload"] as const

/** A turn is never named without its thread, nor a thread without its session, nor a span without its trace. */
function requireLinks(fact: Envelope, mode: Mode, issues: Issue[]): void {
  const missing = (field: string, message: string) => issues.push({ code: "missing_id", field, message })
  if (fact.turn_id !== undefined && fact.thread_id === undefined) {
    missing("thread_id", "A fact of a turn names its thread.")
  }
  if (fact.session_id === undefined) {
    if (fact.thread_id !== undefined) missing("session_id", "A fact of a thread names its session.")
    // The runtime puts its own id on a draft when it stamps it.
    else if (fact.runtime_id === undefined && mode !== "draft") {
      missing("runtime_id", "A fact of no session names its runtime.")
    }
  }
  if (fact.span_id !== undefined && fact.trace_id === undefined) {
    missing("trace_id", "A span names its trace.")
  }
  if (fact.run_id !== undefined && fact.attempt_id !== undefined && fact.run_id !== fact.attempt_id) {
    issues.push({
      code: "id_mismatch",
      field: "attempt_id",
      message: "run_id and attempt_id are two names of one value.",
    })
  }
}

function requireIds(fact: Envelope, plan: Plan, issues: Issue[]): void {
  for (const field of plan.needed) {
    if (fact[field] === undefined && !issues.some((issue) => issue.field === field)) {
      issues.push({ code: "missing_id", field, message: `${fact.type} needs ${field}.` })
    }
  }
  for (const field of plan.foreign) {
    if (fact[field] !== undefined) {
      issues.push({ code: "not_applicable_id", field, message: `${field} does not apply to ${fact.type}.` })
    }
  }
}

function unknownType(fact: Envelope, mode: Mode, issues: Issue[]): Validated<Envelope> {
  const vendor = isVendorType(fact.type)
  if (!vendor && mode !== "read") {
    const message = `${fact.type} is no normalized class; a vendor's own begins with x-<vendor>.`
    issues.push({ code: "unknown_type", field: "type", message })
  }
  if (issues.length > 0) return { ok: false, issues }
  const message = `${fact.type} is kept and skipped.`
  return { ok: true, fact, warnings: [{ code: "unknown_type", field: "type", message }] }
}

/** A stored fact in the present version of its class; one of an unknown class or version stays as it is. */
export function presentText(text: string): string {
  // Facts are written with their class first and their version last, so that few have to be read for this.
  const type = /^\{"type":"([\w.-]+)"/.exec(text)?.[1]
  const version = /"schema_version":(\d+)\}$/.exec(text.slice(-40))?.[1]
  if (type !== undefined && isPresent(definitions.get(type), Number(version))) return text
  const fact: Envelope = JSON.parse(text)
  const definition = definitions.get(fact.type)
  const current = definition === undefined ? fact : upcast(fact, definition)
  return current === undefined || current === fact ? text : JSON.stringify(current)
}

const isPresent = (definition: EventDefinition | undefined, version: number): boolean =>
  definition === undefined || definition.version === version

/** Brings an older payload step by step to the version known here; undefined when that is not possible. */
function upcast(fact: Envelope, definition: EventDefinition): Envelope | undefined {
  if (fact.schema_version === definition.version) return fact
  if (fact.schema_version > definition.version) return undefined
  let payload = fact.payload
  for (let version = fact.schema_version; version < definition.version; version++) {
    const step = definition.upcast[version]
    if (step === undefined) return undefined
    payload = step(payload)
  }
  return { ...fact, payload, schema_version: definition.version }
}

function refused(code: IssueCode, field: string, message: string): Validated<never> {
  return { ok: false, issues: [{ code, field, message }] }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Every field has passed its test when this is asked; a draft is stamped before it leaves the kernel. */
function isEnvelope(value: Record<string, unknown>): value is Envelope & Record<string, unknown> {
  return typeof value.type === "string"
}

/** Facts that carry more than they should: large things travel as refs. One warning per payload field. */
export function oversized(fact: { type: string; payload: Record<string, unknown> }, limit: number): Issue[] {
  const warnings: Issue[] = []
  for (const [name, value] of Object.entries(fact.payload)) {
    const bytes = new TextEncoder().encode(JSON.stringify(value) ?? "").length
    if (bytes <= limit) continue
    const message = `${fact.type} carries ${bytes} bytes in ${name}; over ${limit} bytes belong behind a ref.`
    warnings.push({ code: "invalid_payload", field: `payload.${name}`, message })
  }
  return warnings
}
