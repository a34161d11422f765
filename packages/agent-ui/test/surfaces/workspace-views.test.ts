import { expect, test } from "vitest"
import { readTrace } from "../../../conformance/src/traces.ts"
import { fromRuntime } from "../../src/adapters/runtime/index.ts"
import {
  availablePorts,
  changeLocal,
  createViews,
  emptyState,
  momentsOf,
  reduce,
  type Span,
  type SurfaceName,
  standAt,
  type ViewOf,
} from "../../src/index.ts"

const stateOf = (trace: string) => reduce(emptyState(), readTrace(trace).map(fromRuntime))
const none = availablePorts({})
function view<S extends SurfaceName>(surface: S, state = emptyState(), sessionId = ""): ViewOf<S> {
  return createViews().of(surface, state, { sessionId }, none)
}

test("[UI-SURF-8] a person's unsaved edit stays beside the artifact until it is let go, and says when it is behind", () => {
  const state = stateOf("artifact-life")
  const edited = changeLocal(state, { kind: "edit_artifact", id: "art_policy", text: "mine", base: "3" })
  const row = (from: typeof state) =>
    view("artifact_workspace", from, "ses_policy").artifacts.find(
      ({ artifactId }) => artifactId === "art_policy",
    )
  expect(row(edited)?.edit).toEqual({ text: "mine", base: "3", behind: false })
  expect(row(edited)?.versions).toEqual(row(state)?.versions)
  const old = changeLocal(edited, { kind: "edit_artifact", id: "art_policy", text: "mine", base: "2" })
  expect(row(old)?.edit?.behind).toBe(true)
  expect(row(changeLocal(old, { kind: "edit_artifact", id: "art_policy" }))?.edit).toBeUndefined()
  const saved = (text: string) =>
    changeLocal(old, { kind: "edit_saved", id: "art_policy", text, version: "3" })
  expect(row(saved("mine"))?.edit).toBeUndefined()
  expect(row(saved("min"))?.edit).toEqual({ text: "mine", base: "3", behind: false })
})

test("[UI-SURF-9] a moment of the past shows what had begun, what was under way and what was over", () => {
  const { spans } = view("timeline_evidence", stateOf("solo-run"), "ses_login")
  const moments = momentsOf(spans)
  expect(moments).toEqual(moments.toSorted())
  const [first = "", last = ""] = [moments[0], moments.at(-1)]
  const [run] = spans
  expect(run && standAt(run, first)).toBe("open")
  expect(new Set(spans.slice(1).map((span) => standAt(span, first)))).toEqual(new Set(["later"]))
  expect(new Set(spans.map((span) => standAt(span, last)))).toEqual(new Set(["over"]))
  expect(run?.phases?.map(({ note }) => note)).toContain("preparing")
  expect(spans.every(({ sequence }) => sequence !== undefined)).toBe(true)
})

test("[UI-SURF-9] a span whose times were not told is never said to come later", () => {
  const untold: Pick<Span, "start" | "end"> = { start: "unknown", end: "unknown" }
  const { spans } = view("timeline_evidence", stateOf("solo-run"), "ses_login")
  expect(spans[0] && standAt({ ...spans[0], ...untold }, "2026-01-01T00:00:00Z")).toBe("over")
})

test("[UI-SURF-11] values of one metric, told once a request, are one series with their sum", () => {
  const { series } = view("diagnostics", stateOf("solo-run"), "ses_login")
  const cost = series.find(({ name }) => name === "cost")
  expect(cost?.points.length).toBe(4)
  expect(cost?.total).toBeCloseTo(0.06828)
  expect(cost?.unit).toBe("EUR")
})

test("[UI-SURF-21] what the session spent stands with its policy", () => {
  const { cost } = view("team_policy", stateOf("solo-run"), "ses_login")
  expect(cost).toMatchObject({ limit: "unknown", unit: "EUR", low: false })
})
