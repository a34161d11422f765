import { oversized } from "@factum/facts"
import type { Level } from "../rules.ts"
import {
  explainsCalls,
  explainsRouting,
  exportsTheSame,
  marksMissing,
  restoresByWindows,
} from "./boundary.ts"
import { checks } from "./checklist.ts"
import { type Dialect, lacking } from "./dialects.ts"
import { replaysTheSame } from "./identity.ts"
import { readLines, type Trace } from "./read.ts"
import { type Fault, type Report, type RuleResult, resultOf, type Seen } from "./report.ts"
import { projected, type Shown } from "./shown.ts"
import { keepsCalls, keepsQueue, keepsTasks, mapsStreams, waitsForPeople } from "./work.ts"

export { type Finding, type Outcome, type Report, type RuleResult, readable } from "./report.ts"

type Rule = { rule: string; level: Level; title: string; look: (trace: Trace) => Seen }
const must = (rule: string, title: string, look: Rule["look"]): Rule => ({ rule, level: "MUST", title, look })

/** The runtime's validation list. What judges the trace as a whole stands in `wholeTrace`. */
const runtimeRules: readonly Rule[] = [
  must("RT-VAL-1", "Stable ids, replay into the recorded read model", replaysTheSame),
  must("RT-VAL-2", "Provider streams are normalized events", mapsStreams),
  must("RT-VAL-3", "Calls keep input, results, errors and decisions", keepsCalls),
  must("RT-VAL-4", "Human actions pause the work", waitsForPeople),
  must("RT-VAL-5", "Queue changes are told and kept", keepsQueue),
  must("RT-VAL-6", "Tasks keep attempts and edges", keepsTasks),
  must("RT-VAL-7", "Old sessions come back by windows", restoresByWindows),
  must("RT-VAL-8", "Each call and command is explained", explainsCalls),
  must("RT-VAL-9", "Routing, cost and limits are explained", explainsRouting),
  must("RT-VAL-10", "Exports hold the same facts", exportsTheSame),
  must("RT-VAL-11", "Missing facts are marked, not inferred", marksMissing),
]

export type ValidatorOptions = {
  /** So many bytes of JSON may stand in one field of a payload; what is larger belongs behind a ref. */
  inline?: number
}
/** Twice of what the runtime keeps inline, because JSON needs more characters than the text that it holds. */
const inlineBytes = 16_384

/** Judges a trace: lines of JSON, facts, events of Agent UI, AG-UI or the AI SDK. It never throws. */
export function validateTrace(
  lines: readonly string[],
  { inline = inlineBytes }: ValidatorOptions = {},
): Report {
  const trace = readLines(lines)
  const judged = [
    ...runtimeRules.map(({ rule, level, title, look }) =>
      resultOf(
        rule,
        level,
        title,
        judge(trace, rule, () => look(trace)),
      ),
    ),
    ...wholeTrace(trace, inline),
    ...checklist(trace),
  ]
  const findings = judged.flatMap((result) => result.findings)
  const warnings = findings.filter(({ level }) => level === "SHOULD").length
  const failures = findings.length - warnings
  return {
    kind: kindOf(trace),
    lines: trace.lines,
    events: trace.facts.length + trace.events.length,
    respelled: trace.respelled.length,
    foreign: foreignOf(trace),
    results: judged,
    failures,
    warnings,
    ok: failures === 0,
  }
}

function wholeTrace(trace: Trace, inline: number): RuleResult[] {
  const spelled = () =>
    trace.respelled.length + trace.mixed.length === 0 ? ("not_exercised" as const) : trace.mixed
  // They are about this report, whatever the trace holds: its own tests show that they are kept.
  const aboutTheReport = { why: "it judges the validator, not a trace" }
  return [
    resultOf("RT-VAL-12", "MUST", "What was not exercised is not called kept", aboutTheReport),
    resultOf("RT-VAL-13", "EDGE", "Each finding names rule, level, line and reason", aboutTheReport),
    resultOf(
      "RT-VAL-14",
      "EDGE",
      "One spelling an event; another one is adapted and told",
      judge(trace, "RT-VAL-14", spelled),
    ),
    resultOf(
      "RT-ENV-11",
      "SHOULD",
      "Large things travel as refs",
      judge(trace, "RT-ENV-11", () => travelsByRef(trace, inline)),
    ),
  ]
}

/** RT-ENV-11: one warning for each field of a payload that holds more than it should. */
function travelsByRef({ facts, events }: Trace, inline: number): Seen {
  const all = [
    ...facts.map(({ line, fact }) => ({ line, type: fact.type, payload: fact.payload })),
    ...events.map(({ line, event }) => ({ line, type: event.type, payload: { ...event.payload } })),
  ]
  if (all.length === 0) return "not_exercised"
  return all.flatMap(({ line, type, payload }) =>
    oversized({ type, payload }, inline).map(
      ({ message }): Fault => ({ line, event: type, reason: message }),
    ),
  )
}

function checklist(trace: Trace): RuleResult[] {
  const shown = shownIn(trace)
  return checks.map(({ rule, title, look }) =>
    resultOf(rule, "SHOULD", title, shown ? judge(trace, rule, () => look(shown)) : "not_exercised"),
  )
}

function shownIn(trace: Trace): Shown | undefined {
  try {
    return projected(trace)
  } catch {
    return undefined
  }
}

/** Another protocol may have no word for what a rule asks; lines that cannot be read are told all the same. */
function judge(trace: Trace, rule: string, look: () => Seen): Seen {
  const isPure = trace.words.size > 0 && trace.records.length + trace.unread.length + trace.mixed.length === 0
  const why = isPure ? lacking(trace.words, rule) : undefined
  return why === undefined ? looked(look) : { why }
}

/** A payload may lack what a check reads; RT-VAL-1 has then told so, and the check has nothing to judge. */
function looked(look: () => Seen): Seen {
  try {
    return look()
  } catch {
    return "not_exercised"
  }
}

function kindOf({ facts, events, foreign }: Trace): Report["kind"] {
  const ofOthers = new Set(foreign.map(({ line }) => line))
  const dialects = new Set<Dialect>([
    ...foreign.map(({ dialect }) => dialect),
    ...(facts.length > 0 ? (["runtime"] as const) : []),
    ...(events.some(({ line }) => !ofOthers.has(line)) ? (["agent_ui"] as const) : []),
  ])
  const [one = "nothing"] = dialects
  return dialects.size > 1 ? "mixed" : one
}

function foreignOf({ foreign }: Trace): Report["foreign"] {
  return [...Map.groupBy(foreign, ({ dialect }) => dialect)].map(([dialect, lines]) => ({
    dialect,
    lines: lines.length,
    lost: [...new Set(lines.flatMap(({ lost }) => lost))],
    guessed: [...new Set(lines.flatMap(({ guessed }) => guessed))],
  }))
}
