import { AgUiReader } from "@factum/agent-ui/adapters/ag-ui"
import { AiSdkReader } from "@factum/agent-ui/adapters/ai-sdk"

/** The protocols of others that a trace may be in, one event or chunk a line. */
export type Foreign = "ag_ui" | "ai_sdk"
export type Dialect = "runtime" | "agent_ui" | Foreign

export const dialectNames: Readonly<Record<Foreign, string>> = { ag_ui: "AG-UI", ai_sdk: "the AI SDK" }

type Reader = AgUiReader | AiSdkReader
type Read = ReturnType<Reader["read"]>

/** Reads the lines of one trace: the readers remember what came before. */
export class ForeignReaders {
  readonly #agUi = new AgUiReader()
  #messages = 0
  readonly #aiSdk = new AiSdkReader({ newId: () => `message_${++this.#messages}` })

  /** The protocol whose event this is by its type. Ours have a dot in their types, and a fact has an id. */
  dialectOf(value: Readonly<Record<string, unknown>>): Foreign | undefined {
    const { type } = value
    if (typeof type !== "string" || ids.some((name) => Object.hasOwn(value, name))) return undefined
    if (this.#agUi.knows(type) || /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(type)) return "ag_ui"
    return this.#aiSdk.knows(type) ? "ai_sdk" : undefined
  }

  read(dialect: Foreign, value: unknown): Read {
    return dialect === "ag_ui" ? this.#agUi.read(value) : this.#aiSdk.read(value)
  }
}
const ids = ["event_id", "eventId", "schema_version", "schemaVersion"]

/** What both have no word for, by the rule that asks for it. */
const neither = {
  "RT-VAL-1": "events have neither ids nor sequences",
  "RT-VAL-2": "requests of a model are not told",
  "RT-VAL-3": "calls have neither refs nor decisions of a policy",
  "RT-VAL-4": "it is not told who is to decide, nor by which command somebody did",
  "RT-VAL-5": "there is no queue",
  "RT-VAL-6": "tasks have neither attempts nor edges",
  "RT-VAL-7": "there are no windows of history",
  "RT-VAL-8": "decisions, boundaries and processes are not told",
  "RT-VAL-9": "routing and cost are not told",
  "RT-VAL-10": "there are no exports",
  "RT-VAL-11": "an outcome that nobody reported has no mark",
  "RT-VAL-14": "there is one spelling",
  "RT-ENV-11": "there are no refs that large things could travel by",
  "UI-CHECK-8": "there is no queue",
  "UI-CHECK-12": "there is no topology",
  "UI-CHECK-13": "workers do not report",
  "UI-CHECK-14": "children name no session of their parent",
  "UI-CHECK-15": "approvals name nobody who asks",
  "UI-CHECK-16": "there are no boundaries of the context",
  "UI-CHECK-18": "sessions are not hydrated",
}
const lacks: Readonly<Record<Foreign, Readonly<Record<string, string>>>> = {
  ag_ui: {
    ...neither,
    "UI-CHECK-9": "there are no artifacts",
    "UI-CHECK-10": "there is no evidence",
  },
  ai_sdk: {
    ...neither,
    "UI-CHECK-11": "there are no teammates and no tasks",
  },
}

/** Why a trace in these dialects can show nothing about a rule; undefined when one of them could. */
export function lacking(dialects: ReadonlySet<Dialect>, rule: string): string | undefined {
  const reasons = [...dialects].map((dialect) =>
    dialect === "ag_ui" || dialect === "ai_sdk"
      ? lacks[dialect][rule] && `in ${dialectNames[dialect]} ${lacks[dialect][rule]}`
      : undefined,
  )
  return reasons.includes(undefined) ? undefined : reasons[0]
}
