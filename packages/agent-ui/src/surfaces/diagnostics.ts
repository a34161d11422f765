import { perRequest } from "../reducers/diagnostic.ts"
import type { AgentUiState, DiagnosticEntity, Finding } from "../state.ts"
import { kept } from "./memo.ts"
import { contextOf } from "./meter.ts"
import { aim } from "./offer.ts"
import { assemble, ready, within } from "./standing.ts"
import type { Mark, Surface, View } from "./view.ts"
import { given, picked, type Who, whoOf } from "./who.ts"

export type DiagnosticRow = Mark & {
  diagnosticId: string
  code?: string
  severity: string
  message?: string
  affected: readonly { kind: string; id: string }[]
  ref?: string
  rawEventRef?: string
  who?: Who
  at?: string
}
export type MetricSeries = {
  name: string
  unit?: string
  total: number
  points: readonly { value: number; at?: string }[]
}
export type DiagnosticsView = View & {
  rows: readonly DiagnosticRow[]
  findings: readonly Finding[]
  metrics: readonly { name: string; value: number; unit?: string; limit?: number; at?: string }[]
  /** The metrics that are of one name and told once a request, in the order in which they came. */
  series: readonly MetricSeries[]
  gaps: readonly { stream: string; from: number; to: number; waiting: number }[]
  context: { retrieved: number; missing: number; warnings: readonly string[] }
  /** Raw events behind the diagnostics shown, as refs to open. */
  rawEventRefs: readonly string[]
  /** How many were let go to stay bounded, and how many more there are than are shown. */
  dropped: number
  hidden: number
}

const shown = 200

export const diagnostics: Surface<DiagnosticsView> = {
  reads: ["diagnostics", "findings", "metrics", "dropped", "contexts", "gaps", "agents"],
  select(state, scope, ports) {
    const belongs = within(state, scope.sessionId)
    const newest = state.diagnostics.slice(-shown)
    const rows = newest.filter(belongs).map((entity) => row(entity, whoOf(state, entity.origin)))
    const findings = state.findings.slice(-shown)
    const metrics = [...state.metrics.values()].filter(belongs).map((metric) => ({
      ...picked(metric, "name", "value", "unit", "limit"),
      ...given({ at: metric.origin.timestamp }),
    }))
    const gaps = gapsOf(state)
    const { retrieval, missing, warnings } = contextOf(state, scope)
    return assemble(
      "diagnostics",
      { state, scope, ports },
      {
        has: rows.length + findings.length + metrics.length + gaps.length + state.dropped > 0,
        marks: rows,
        aims: {
          open_detail: aim(
            rows.some(({ ref, rawEventRef }) => ref !== undefined || rawEventRef !== undefined),
            "session.read",
          ),
        },
      },
      {
        rows,
        findings,
        metrics,
        series: seriesOf(metrics),
        gaps,
        context: {
          retrieved: retrieval?.length ?? 0,
          missing: missing?.length ?? 0,
          warnings: warnings ?? [],
        },
        rawEventRefs: rows.flatMap(({ rawEventRef }) => rawEventRef ?? []),
        dropped: state.dropped,
        hidden: state.diagnostics.length - newest.length + state.findings.length - findings.length,
      },
    )
  },
}

const row = kept((entity: DiagnosticEntity, who: Who | undefined): DiagnosticRow => {
  const { severity, message, affected, ref, origin } = entity
  const nowhere = message === undefined && ref === undefined && origin.rawEventRef === undefined
  return {
    ...picked(entity, "diagnosticId", "code", "message", "ref"),
    ...picked(origin, "rawEventRef"),
    ...(nowhere ? ({ state: "unavailable", reason: "ref_unavailable" } as const) : ready),
    severity: severity ?? "unknown",
    affected: affected ?? [],
    ...given({ who, at: origin.timestamp }),
  }
})

const pointsKept = 200

function seriesOf(metrics: DiagnosticsView["metrics"]): MetricSeries[] {
  const found = new Map<string, MetricSeries>()
  for (const { name: whole, value, unit, at } of metrics) {
    const name = perRequest.exec(whole)?.[1] ?? whole
    const before = found.get(name)
    found.set(name, {
      name,
      total: (before?.total ?? 0) + value,
      points: [...(before?.points ?? []).slice(1 - pointsKept), { value, ...given({ at }) }],
      ...given({ unit: unit ?? before?.unit }),
    })
  }
  return [...found.values()]
}

function gapsOf(state: AgentUiState): DiagnosticsView["gaps"] {
  return [...state.streams.values()].flatMap(({ stream, gap, waiting }) =>
    gap ? [{ stream, ...gap, waiting }] : [],
  )
}
