import type { Level } from "../rules.ts"
import {
  explainsCalls,
  explainsRouting,
  exportsTheSame,
  marksMissing,
  restoresByWindows,
} from "./boundary.ts"
import { checks, projected } from "./checklist.ts"
import { replaysTheSame } from "./identity.ts"
import { readLines, type Trace } from "./read.ts"
import { type Report, type RuleResult, resultOf, type Seen } from "./report.ts"
import { keepsCalls, keepsQueue, keepsTasks, mapsStreams, waitsForPeople } from "./work.ts"

export { type Finding, type Outcome, type Report, type RuleResult, readable } from "./report.ts"

type Rule = { rule: string; level: Level; title: string; look: (trace: Trace) => Seen }
const must = (rule: string, title: string, look: Rule["look"]): Rule => ({ rule, level: "MUST", title, look })

/** The runtime's validation list. The last three judge the trace as a whole and this very report. */
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

/** Judges a trace: lines of JSON, runtime facts or events of Agent UI, ours or another's. It never throws. */
export function validateTrace(lines: readonly string[]): Report {
  const trace = readLines(lines)
  const judged = [
    ...runtimeRules.map(({ rule, level, title, look }) =>
      resultOf(
        rule,
        level,
        title,
        looked(() => look(trace)),
      ),
    ),
    ...wholeTrace(trace),
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
    results: judged,
    failures,
    warnings,
    ok: failures === 0,
  }
}

function wholeTrace(trace: Trace): RuleResult[] {
  const isEmpty = trace.facts.length + trace.events.length === 0
  const spelled = trace.respelled.length + trace.mixed.length === 0 ? "not_exercised" : trace.mixed
  const meta = isEmpty ? "not_exercised" : []
  return [
    resultOf("RT-VAL-12", "MUST", "What was not exercised is not called kept", meta),
    resultOf("RT-VAL-13", "EDGE", "Each finding names rule, level, line and reason", meta),
    resultOf("RT-VAL-14", "EDGE", "One spelling an event; another one is adapted and told", spelled),
  ]
}

function checklist(trace: Trace): RuleResult[] {
  try {
    const shown = projected(trace)
    return checks.map(({ rule, title, look }) =>
      resultOf(
        rule,
        "SHOULD",
        title,
        looked(() => look(shown)),
      ),
    )
  } catch {
    return checks.map(({ rule, title }) => resultOf(rule, "SHOULD", title, "not_exercised"))
  }
}

/** A payload may lack what a check reads; RT-VAL-1 has then told so, and the check has nothing to judge. */
function looked(look: () => Seen): Seen {
  try {
    return look()
  } catch {
    return "not_exercised"
  }
}

function kindOf({ facts, events }: Trace): Report["kind"] {
  if (facts.length > 0) return events.length > 0 ? "mixed" : "runtime"
  return events.length > 0 ? "agent_ui" : "nothing"
}
