import type { AgentUiEnvelope } from "./envelope.ts"
import { elementIds, envelopeFields, type FieldKind, fieldKinds, listedValues, readAs } from "./fields.ts"
import { refuseInput } from "./inputs.ts"
import { isRecord } from "./record.ts"
import { isSecretName, redacted, redactKeys, redactText } from "./redact.ts"
import { isEventClass } from "./reducers/index.ts"
import type { Finding, FindingCode } from "./state.ts"

/** Sizes in characters above which a value is replaced by its beginning. */
export const limits = {
  output: 32_768,
  text: 1_000_000,
  event: 4_000_000,
  /** What is left of an event that was larger. */
  beginning: 65_536,
  preview: 2_000,
  id: 1_024,
  depth: 48,
}
/** What any value takes beside its characters. */
const least = 8

export type Normalized = {
  /** Missing when the value was refused. */
  event?: AgentUiEnvelope
  findings: readonly Finding[]
  /** Fields whose value is outside the listed ones. */
  unlisted?: readonly string[]
}
const nothing: readonly Finding[] = []

/** How names are read: as those of the baseline, as anybody's, or as those of a form's description. */
type Form = "known" | "free" | "schema"

/** What one walk over one event found. */
type Walk = {
  type: string
  findings: Finding[] | undefined
  unlisted: string[] | undefined
  /** What the event may still take. */
  left: number
  /** Strings above this are cut. */
  most: number
}

/** One unknown value becomes an event, or a finding. A clean event is returned as it is, without a copy. */
export function normalize(value: unknown, now?: number): Normalized {
  if (!isRecord(value)) return refused("", "rejected_event", "It is not an object.")
  const { type } = value
  if (typeof type !== "string" || type === "") return refused("", "rejected_event", "It has no type.")
  if (type.length > limits.id) return refused("", "oversize", "Its type is too long.")
  if (value.owner === "ui_projection") return refused(type, "owner_refused", "This owner may not say so.")
  const walk: Walk = { type, findings: undefined, unlisted: undefined, left: limits.event, most: limits.text }
  let event = envelope(value, walk)
  if (walk.left < 0) {
    note(walk, "oversize", "Only beginnings are kept.")
    const again = { ...walk, findings: [], unlisted: [], left: limits.beginning, most: limits.preview }
    event = envelope(value, again)
  }
  if (now !== undefined && typeof event.timestamp === "string") judgeTime(event.timestamp, now, walk)
  const findings = walk.findings ?? nothing
  // The walk leaves only fields of the declared types.
  const normal = event as AgentUiEnvelope
  return walk.unlisted ? { event: normal, findings, unlisted: walk.unlisted } : { event: normal, findings }
}

function envelope(value: Record<string, unknown>, walk: Walk): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const name in value) {
    const was = value[name]
    const is = envelopeField(name, was, walk)
    if (is === was && name !== "__proto__") continue
    copy ??= { ...value }
    set(copy, name, is)
  }
  return copy ?? value
}

function envelopeField(name: string, value: unknown, walk: Walk): unknown {
  switch (name) {
    case "sequence":
      if (Number.isSafeInteger(value) && (value as number) >= 0) return value
      return drop(name, value, walk)
    case "payload":
      if (value === undefined) return value
      if (!isRecord(value)) return drop(name, value, walk)
      return record(value, walk, 0, isEventClass(walk.type) ? "known" : "free")
    case "refs":
      if (typeof value !== "object" || value === null) return drop(name, value, walk)
      return any(name, value, walk, 0, "free")
    case "rawEventRef":
      if (value === undefined) return value
      if (typeof value === "string" && value.length <= limits.id && !/^\s*[[{]|^data:/.test(value))
        return redactText(value)
      note(walk, "leak_risk", "A raw event was dropped.", name)
      return undefined
  }
  if (!envelopeNames.has(name)) return entry(name, value, walk, 0, "free")
  if (value === undefined) return value
  if (typeof value !== "string" || value.length > limits.id) return drop(name, value, walk)
  if (value === "") return undefined
  const listed = listedValues.get(name)
  if (listed) {
    if (!listed.has(value)) flag(name, value, walk)
  } else if (hostile.has(value)) note(walk, "hostile_id", "It reaches for a prototype.", name)
  return value.length < 8 ? value : redactText(value)
}
const envelopeNames = new Set(envelopeFields)
const hostile = new Set(["__proto__", "constructor", "prototype"])

function record(
  value: Record<string, unknown>,
  walk: Walk,
  depth: number,
  form: Form,
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const name in value) {
    const was = value[name]
    const is = entry(name, was, walk, depth, form)
    if (is === was && name !== "__proto__") continue
    copy ??= { ...value }
    set(copy, name, is)
  }
  return copy ?? value
}

function entry(name: string, value: unknown, walk: Walk, depth: number, form: Form): unknown {
  walk.left -= name.length + least
  if (walk.left < 0) return undefined
  if (name === "__proto__") return drop(name, value, walk, "hostile_id")
  return name.length > limits.id ? drop(name, value, walk, "oversize") : field(name, value, walk, depth, form)
}

function field(name: string, value: unknown, walk: Walk, depth: number, form: Form): unknown {
  if (value === undefined) return value
  if (isSecretName(name) && isRevealing(name, value, form)) {
    note(walk, "leak_risk", "A secret was redacted.", name)
    return redacted
  }
  const kind = form === "known" ? fieldKinds.get(name) : "free"
  if (depth === 0 && (kind === "free" || kind === "either")) {
    const like = readAs.get(`${walk.type} ${name}`)
    if (like === "record") return isRecord(value) ? record(value, walk, 1, "free") : drop(name, value, walk)
    if (like !== undefined) return field(like, value, walk, 0, form)
  }
  if (name === "schema") return any(name, value, walk, depth, "schema")
  if (kind === undefined || kind === "free")
    return any(name, value, walk, depth, form === "known" ? "free" : form)
  if (!fits(kind, value)) return drop(name, value, walk)
  if (typeof value === "string") {
    if (name === "runtimeEntity" && !listedValues.get(name)?.has(value)) flag(name, value, walk)
    return text(name, value, walk, "known")
  }
  if (typeof value === "number" || typeof value === "boolean") return value
  if (kind === "preview") return preview(value as Record<string, unknown>, walk, depth)
  return any(name, value, walk, depth, "known")
}

/** In a form's schema a field may be named like a secret; what it holds is a description. */
function isRevealing(name: string, value: unknown, form: Form): boolean {
  if (typeof value === "string") return value !== "" && value !== redacted
  if (form === "schema") return false
  // A number of several is how many there are.
  if (typeof value === "number") return !/s$/i.test(name)
  return typeof value === "object" && value !== null
}

function fits(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string"
    case "number":
      return typeof value === "number" && Number.isFinite(value)
    case "flag":
      return typeof value === "boolean"
    case "record":
      return isRecord(value)
    case "texts":
    case "records":
      return Array.isArray(value)
    case "preview":
      return typeof value === "string" || (isRecord(value) && typeof value.text === "string")
    case "either":
      return typeof value !== "object" && !Number.isNaN(value)
    case "verdict":
      return typeof value === "boolean" || typeof value === "number" || value === "unknown"
    case "free":
      return true
  }
}

function any(name: string, value: unknown, walk: Walk, depth: number, form: Form): unknown {
  if (typeof value === "string") return text(name, value, walk, form)
  if (typeof value !== "object" || value === null) {
    const plain = typeof value === "number" || typeof value === "boolean" || value == null
    return plain ? value : drop(name, value, walk)
  }
  if (depth >= limits.depth) return drop(name, "…", walk, "oversize")
  if (Array.isArray(value)) return list(name, value, walk, depth + 1, form)
  if (isRecord(value)) return record(value, walk, depth + 1, form)
  // Bytes, maps, dates and the like have no place in an event.
  return drop(name, value, walk, ArrayBuffer.isView(value) ? "oversize" : "rejected_event")
}

function list(
  name: string,
  values: readonly unknown[],
  walk: Walk,
  depth: number,
  form: Form,
): readonly unknown[] {
  let copy: unknown[] | undefined
  const id = form === "known" ? elementIds.get(name) : undefined
  const kind = form === "known" ? fieldKinds.get(name) : undefined
  for (const [at, was] of values.entries()) {
    let is: unknown
    walk.left -= least
    if (walk.left < 0) is = undefined
    else if (id !== undefined && !(isRecord(was) && typeof was[id] === "string")) is = drop(name, was, walk)
    else if (kind === "texts" && typeof was !== "string") is = drop(name, was, walk)
    else if (kind === "records" && !isRecord(was)) is = drop(name, was, walk)
    else if (name === "inputs" && isRecord(was)) is = input(was, walk, depth)
    else is = any(name, was, walk, depth, form)
    // An element that is cut may lack what it cannot do without.
    if (walk.left < 0) is = undefined
    if (is === was) continue
    copy ??= values.slice()
    copy[at] = is
  }
  return copy ? copy.filter((one) => one !== undefined) : values
}

function input(value: Record<string, unknown>, walk: Walk, depth: number): unknown {
  const reason = refuseInput(value)
  if (reason) {
    note(walk, "leak_risk", reason, "inputs")
    return undefined
  }
  return record(value, walk, depth, "known")
}

function preview(value: Record<string, unknown>, walk: Walk, depth: number): unknown {
  const whole = value.text as string
  const most = Math.min(limits.output, walk.most)
  if (whole.length <= most)
    return whole.length > walk.left ? undefined : record(value, walk, depth + 1, "known")
  note(walk, "oversize", `A text of ${whole.length} characters was cut.`, "preview")
  const cut = {
    ...value,
    text: beginning(whole, limits.preview),
    truncated: true,
    bytes: value.bytes ?? whole.length,
  }
  return record(cut, walk, depth + 1, "known")
}

/** Whose texts are output. What is said, asked for or about to be done is shown as it is, but for keys. */
const isOutput = /^(?:tool\.(?:progress|output|result|failed)|diagnostic|metric|state)\b/

function text(name: string, value: string, walk: Walk, form: Form): string {
  let kept = value
  const most =
    walk.type === "tool.output.delta" && name === "delta" ? Math.min(limits.output, walk.most) : walk.most
  if (value.length > most) {
    note(walk, "oversize", `A text of ${value.length} characters was cut.`, name)
    kept = beginning(value, most === limits.text ? most : limits.preview)
  }
  walk.left -= walk.most === limits.text ? value.length : kept.length
  const isFree = form === "free" || (form === "known" && isOutput.test(walk.type))
  const clean = isFree ? redactText(kept) : redactKeys(kept)
  if (clean !== kept) note(walk, "leak_risk", "A secret was redacted.", name)
  return clean
}

function beginning(whole: string, length: number): string {
  const half = (whole.charCodeAt(length - 1) & 0xfc00) === 0xd800
  return whole.slice(0, half ? length - 1 : length)
}

function judgeTime(timestamp: string, now: number, walk: Walk): void {
  const at = Date.parse(timestamp)
  if (at > now + 300_000) note(walk, "future_event", "It comes from the future.")
}

function drop(name: string, value: unknown, walk: Walk, code: FindingCode = "rejected_event"): undefined {
  if (value === undefined) return undefined
  const why = code === "oversize" ? "was too large" : `was ${value === null ? "null" : typeof value}`
  note(walk, code, `A field was dropped: it ${why}.`, name)
}

function flag(name: string, value: string, walk: Walk): void {
  walk.unlisted ??= []
  walk.unlisted.push(name)
  note(walk, "unlisted_value", `"${beginning(value, 80)}" is not a listed ${name}.`, name)
}

function note(walk: Walk, code: FindingCode, message: string, id?: string): void {
  walk.findings ??= []
  if (walk.findings.length < 20)
    walk.findings.push({ code, message, type: walk.type, ...(id ? { id: beginning(id, 80) } : {}) })
}

function set(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined || name === "__proto__") delete copy[name]
  else copy[name] = value
}

function refused(type: string, code: FindingCode, message: string): Normalized {
  return { findings: [{ code, message, ...(type ? { type } : {}) }] }
}
