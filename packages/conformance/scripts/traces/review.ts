import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, inSession, openSession, tell } from "./session.ts"
import { childClosed, childDone, childStatus, spawn } from "./team.ts"

export function reviewTeam() {
  const rec = record("2026-03-05T11:00:00.000Z")
  const topology = "review_team"
  const session = openSession(rec, "csv", "Import CSV files safely")
  const turn = beginTurn(session, "1", "Add a CSV import. Have it reviewed before you call it done.")
  ask(turn, [{ text: "I'll write it, then ask for a review." }])
  const art = {
    artifact_id: "art_csv_import",
    owner: "workspace",
    title: "src/import/csv.ts",
    media_type: "text/x-typescript",
    validation_issues: 0,
  }
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "produced",
    version: "1",
    refs: [blob("export function readCsv(text) { return text.split('\\n').map(l => l.split(',')) }")],
  })
  const reviewer = spawn(turn, "reviewer", "Review src/import/csv.ts", { workspace: "copy" })
  childStatus(reviewer, "running", "accepted", "started")
  const lane = {
    owner: "evidence",
    scope: "evidence",
    phase: "reviewing",
    surface: "review_lane",
    persistence: "evidence_pack",
    topology,
    agent_id: reviewer.subagent_id,
  }
  const target = { kind: "artifact", id: "art_csv_import" }
  tell(turn, "review.requested", lane, {
    review_id: "rev_1",
    reviewer: "reviewer",
    target: { ...target, version: "1" },
    status: "requested",
  })
  const reading = beginTurn(reviewer.session, "1", "Review src/import/csv.ts", { source: "parent" })
  ask(reading, [
    { text: "Splitting at commas breaks quoted fields, and a formula in a cell would run in a spreadsheet." },
  ])
  endTurn(reading)
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_review_1",
    kind: "review",
    change: "observed",
    owner: "reviewer",
    ref: blob("review 1", { title: "Review of version 1" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "failed",
    missing: [],
  })
  tell(
    turn,
    "review.completed",
    { ...lane, phase: "completed" },
    {
      review_id: "rev_1",
      reviewer: "reviewer",
      target: { ...target, version: "1" },
      status: "changes_requested",
      verdict: "changes_requested",
      evidence_refs: ["evd_review_1"],
      requested_fixes: ["Parse quoted fields.", "Escape cells that begin with =, +, - or @."],
    },
  )
  childDone(reviewer, "Two fixes requested: quoted fields, formula cells.")
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "updated",
    version: "2",
    refs: [blob("csv v2")],
    diff_ref: blob("-text.split('\\n').map(l => l.split(','))\n+parseRows(text).map(escapeFormulas)\n", {
      media_type: "text/x-diff",
    }),
  })
  tell(turn, "review.requested", lane, {
    review_id: "rev_2",
    reviewer: "reviewer",
    target: { ...target, version: "2" },
    status: "reviewing",
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_tests",
    kind: "verification",
    change: "observed",
    owner: "test-runner",
    ref: blob("31 tests", { title: "31 of 31 tests" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "passed",
    missing: [],
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_review_2",
    kind: "review",
    change: "observed",
    owner: "reviewer",
    ref: blob("review 2", { title: "Review of version 2" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "passed",
    missing: [],
  })
  tell(
    turn,
    "review.completed",
    { ...lane, phase: "completed" },
    {
      review_id: "rev_2",
      reviewer: "reviewer",
      target: { ...target, version: "2" },
      status: "passed",
      verdict: "passed",
      evidence_refs: ["evd_review_2", "evd_tests"],
      requested_fixes: [],
    },
  )
  childDone(reviewer, "Version 2 passes.", 2)
  childClosed(reviewer)
  ask(turn, [
    { text: "The CSV import is in. The reviewer asked for two fixes; version 2 has both and passed." },
  ])
  endTurn(turn)
  tell(
    inSession(session),
    "review.requested",
    { ...lane, phase: "waiting" },
    {
      review_id: "rev_security",
      reviewer: "security@acme",
      target: { ...target, version: "2" },
      status: "requested",
      blocked_reason: "The security reviewer is away until Monday.",
    },
  )
  return rec.facts
}
