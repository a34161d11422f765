import type { ActionGraph, BudgetPolicy } from "../action.ts"
import {
  EnvelopeSchema,
  granularities,
  type Intent,
  intents,
  type PayloadType,
  payloadSchemas,
  payloadsOf,
  payloadTypes,
} from "../declaration/envelope.ts"
import type {
  Declaration,
  Declared,
  ExpandRequest,
  ModelDecision,
  ReportSpec,
} from "../declaration/normalized.ts"
import { problems } from "../declaration/problems.ts"
import {
  countOf,
  type Extensions,
  flagOf,
  groupExtensions,
  isRaw,
  listOf,
  oneOf,
  present,
  type Raw,
  rawOf,
  splitExtensions,
  textOf,
  textsOf,
} from "../declaration/raw.ts"
import { issue, type ProtocolIssue } from "../issues.ts"
import { normalizeAction } from "../normalize.ts"
import { plainGraph } from "../plain.ts"
import { type Draft, noteIn, type Source, tooMany } from "./draft.ts"

/** The full form: an envelope around one payload. */
export function readDsl(value: unknown, source: Source): Draft {
  const { plain, extensions: found } = splitExtensions(value)
  const extensions = groupExtensions(found, ["payload", "actions"])
  const envelope = rawOf(plain)
  const intent = oneOf(envelope.intent, intents) ?? "execute"
  const payload = rawOf(envelope.payload)
  const type = typeOf(payload, intent)
  const issues = [
    ...problems(EnvelopeSchema, plain),
    ...payloadIssues(envelope, payload, type, source.limits.actions),
    ...durability(envelope),
    ...approvalIssues(envelope, payload),
  ]
  const declared = {
    version: "1" as const,
    origin: source.origin,
    ...present({ title: textOf(envelope.title), note: noteIn(source.sections) }),
    source: source.text,
    sections: source.sections,
    extensions: extensions.outer,
  }
  const declaration: Declaration = {
    ...declared,
    ...askedFor(envelope, payload, intent, type, source, extensions),
  }
  const where = (index: number, field?: string) =>
    `payload.actions[${index}]${field === undefined ? "" : `.${field}`}`
  return { declaration, issues, where, list: "payload.actions", legacy: [] }
}

function typeOf(payload: Raw, intent: Intent): unknown {
  return payload.type === undefined && intent === "expand_ref" ? "expand_ref" : payload.type
}

function payloadIssues(envelope: Raw, payload: Raw, type: unknown, most: number): ProtocolIssue[] {
  if (!isRaw(envelope.payload)) return []
  const at = "payload.type"
  const supported = oneOf(type, payloadTypes)
  if (supported === undefined) {
    const fix =
      type === "workflow"
        ? 'Use "action_graph" with persist: true and execution: { mode: "durable", strategy: "dag" }.'
        : `Give ${payloadTypes.join(", ")}.`
    if (type === undefined) return [issue("missing_field", at, "payload.type is missing.", fix)]
    return [issue("unsupported_payload", at, "This payload type is not supported.", fix)]
  }
  const count = listOf(payload.actions).length
  if (supported === "action_graph" && count > most)
    return [tooMany("payload.actions", "actions", count, most)]
  return [
    ...problems(payloadSchemas[supported], payload, ["payload"]),
    ...pairing(oneOf(envelope.intent, intents), supported, payload),
  ]
}

/** What the schema of a payload cannot say, because it depends on the intent. */
function pairing(intent: Intent | undefined, type: PayloadType, payload: Raw): ProtocolIssue[] {
  if (intent === undefined) return []
  const allowed = payloadsOf[intent]
  if (!allowed.includes(type)) {
    const message = `The intent ${intent} does not take the payload ${type}.`
    return [issue("intent_payload_mismatch", "payload.type", message, `Give ${allowed.join(" or ")}.`)]
  }
  if (intent === "revise" && payload.run_id === undefined)
    return [issue("missing_field", "payload.run_id", "payload.run_id is missing.", "Name the run to revise.")]
  if (intent !== "revise" && type === "action_graph" && payload.run_id !== undefined)
    return [issue("unknown_field", "payload.run_id", "Only revise takes a run_id.", "Remove it.")]
  if (intent === "decide" && payload.choice === undefined)
    return [
      issue(
        "missing_field",
        "payload.choice",
        "payload.choice is missing.",
        'Give "retry", "continue" or "abort".',
      ),
    ]
  if (intent === "cancel" && payload.choice !== undefined && payload.choice !== "abort")
    return [
      issue("invalid_field", "payload.choice", "cancel can only abort.", 'Leave it out, or give "abort".'),
    ]
  return []
}

function durability(envelope: Raw): ProtocolIssue[] {
  const mode = rawOf(envelope.execution).mode
  const clash =
    (mode === "durable" && envelope.persist === false) || (mode === "ephemeral" && envelope.persist === true)
  if (!clash) return []
  const message = `${String(mode)} execution contradicts persist: ${String(envelope.persist)}.`
  return [
    issue(
      "invalid_field",
      "execution.mode",
      message,
      "Say durable with persist: true, ephemeral with persist: false.",
    ),
  ]
}

/** The two places where approvals are asked for. */
const approvalsIn = (envelope: Raw): { at: string; ids: readonly string[] }[] => [
  {
    at: "permission_policy.requires_approval",
    ids: textsOf(rawOf(envelope.permission_policy).requires_approval),
  },
  { at: "approval_gates", ids: textsOf(envelope.approval_gates) },
]

function approvalIssues(envelope: Raw, payload: Raw): ProtocolIssue[] {
  const known = new Set(listOf(payload.actions).map((action) => rawOf(action).id))
  const fix = "Name ids of actions of this declaration."
  return approvalsIn(envelope).flatMap(({ at, ids }) =>
    ids.flatMap((id, index) => {
      const message = `An approval is asked for ${JSON.stringify(id.slice(0, 80))}, which is no action.`
      return known.has(id) ? [] : [issue("unknown_dependency", `${at}[${index}]`, message, fix)]
    }),
  )
}

type Asked = Declaration extends infer D ? (D extends Declared ? Omit<D, keyof Declared> : never) : never

function askedFor(
  envelope: Raw,
  payload: Raw,
  intent: Intent,
  type: unknown,
  source: Source,
  extensions: Extensions,
): Asked {
  switch (intent) {
    case "expand_ref":
      return { intent, refs: listOf(payload.refs).map(expandRequest) }
    case "cancel":
    case "decide":
      return { intent, decision: decisionOf(payload) }
    case "revise":
      return {
        intent,
        run_id: textOf(payload.run_id) ?? "",
        graph: graphOf(envelope, payload, source, extensions),
      }
    case "execute":
    case "plan":
      if (type === "final_report_spec") return { intent, report: reportOf(payload) }
      return { intent, graph: graphOf(envelope, payload, source, extensions) }
  }
}

function graphOf(envelope: Raw, payload: Raw, source: Source, extensions: Extensions): ActionGraph {
  const execution = rawOf(envelope.execution)
  const persist = flagOf(envelope.persist) ?? execution.mode === "durable"
  const returns = oneOf(rawOf(envelope.response_policy).result_granularity, granularities) ?? "summary"
  const actions = listOf(payload.actions).slice(0, source.limits.actions)
  return {
    ...plainGraph,
    ...present({ title: textOf(envelope.title) }),
    persist,
    mode: persist ? "durable" : "ephemeral",
    strategy: oneOf(execution.strategy, ["dag", "sequential"]) ?? "dag",
    actions: actions.map((action, index) =>
      normalizeAction(rawOf(action), {
        origin: source.origin,
        persist,
        returns,
        extensions: extensions.of(index),
        index,
      }),
    ),
    budget: budgetOf(rawOf(envelope.budget_policy)),
    cancellation: oneOf(envelope.cancellation_policy, ["drain", "abort"]) ?? "drain",
    conflicts: oneOf(envelope.conflict_resolution, ["order", "refuse"]) ?? "order",
    approvals: [...new Set(approvalsIn(envelope).flatMap(({ ids }) => ids))],
  }
}

const budgetOf = (raw: Raw): BudgetPolicy =>
  present({
    max_tokens: countOf(raw.max_tokens),
    max_time_ms: countOf(raw.max_time_ms),
    max_cost: countOf(raw.max_cost),
    max_retries: countOf(raw.max_retries),
    max_parallel: countOf(raw.max_parallel),
  })

function expandRequest(value: unknown): ExpandRequest {
  const raw = rawOf(value)
  const range = rawOf(raw.range)
  return {
    ref: textOf(raw.ref) ?? "",
    ...present({ reason: textOf(raw.reason) }),
    ...(raw.range === undefined
      ? {}
      : {
          range: present({
            around_matches: flagOf(range.around_matches),
            context_lines: countOf(range.context_lines),
            match: textOf(range.match),
            from: countOf(range.from),
            to: countOf(range.to),
          }),
        }),
  }
}

const decisionOf = (payload: Raw): ModelDecision => ({
  run_id: textOf(payload.run_id) ?? "",
  ...present({ action_id: textOf(payload.action_id) }),
  choice: oneOf(payload.choice, ["retry", "continue", "abort"]) ?? "abort",
  ...present({ reason: textOf(payload.reason) }),
})

const reportOf = (payload: Raw): ReportSpec => ({
  title: textOf(payload.title) ?? "",
  sections: listOf(payload.sections).map((entry) => {
    const raw = rawOf(entry)
    return {
      heading: textOf(raw.heading) ?? "",
      refs: textsOf(raw.refs),
      ...present({ text: textOf(raw.text) }),
    }
  }),
})
