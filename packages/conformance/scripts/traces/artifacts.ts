import { ask } from "./model.ts"
import { blob, record, shown } from "./recording.ts"
import { beginTurn, endTurn, openSession, tell } from "./session.ts"

const draft = `# Data retention policy

We keep customer records for **seven years** after the contract ends.

| data | kept for | why |
| --- | --- | --- |
| invoices | 10 years | tax law |
| support mails | 2 years | quality |
`

export function artifactLife() {
  const rec = record("2026-03-04T08:00:00.000Z")
  const session = openSession(rec, "policy", "Write the retention policy")
  const turn = beginTurn(session, "1", "Write a data retention policy for us. Two pages at most.")
  const title = "retention-policy.md"
  const media_type = "text/markdown"
  const art = { artifact_id: "art_policy", owner: "documents", title, media_type }
  ask(turn, [{ text: "I'll write a first version." }])
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "produced",
    version: "1",
    refs: [blob(draft)],
    preview: shown(draft),
    validation_issues: "unknown",
  })
  rec.wait(1500)
  tell(
    turn,
    "artifact.updated",
    {
      artifact_id: "art_policy",
      owner: "artifact",
      scope: "artifact",
      phase: "producing",
      surface: "artifact_workspace",
      persistence: "artifact_store",
    },
    { kind: "document", status: "draft", validation_issues: 1 },
  )
  const second = draft
    .replace("seven years", "six years")
    .replace("support mails | 2 years", "support mails | 3 years")
  const diff =
    "-We keep customer records for **seven years** after the contract ends.\n+We keep customer records for **six years** after the contract ends.\n-| support mails | 2 years | quality |\n+| support mails | 3 years | quality |\n"
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "updated",
    version: "2",
    refs: [blob(second)],
    preview: shown(second),
    validation_issues: 0,
    diff_ref: blob(diff, { media_type: "text/x-diff", title: "1 to 2" }),
  })
  const about = {
    artifact_id: "art_policy",
    owner: "artifact",
    scope: "artifact",
    phase: "producing",
    surface: "artifact_workspace",
    persistence: "artifact_store",
  }
  tell(turn, "artifact.export.started", about, {
    export_id: "exp_pdf",
    export_format: "pdf",
    version_id: "2",
  })
  rec.wait(2300)
  tell(
    turn,
    "artifact.export.completed",
    { ...about, phase: "completed" },
    { export_id: "exp_pdf", export_format: "pdf", export_ref: "blob:retention-policy-v2.pdf" },
  )
  tell(turn, "artifact.export.started", about, {
    export_id: "exp_docx",
    export_format: "docx",
    version_id: "2",
  })
  rec.wait(900)
  tell(
    turn,
    "artifact.failed",
    { ...about, phase: "failed" },
    { message: "The DOCX converter stopped: table 1 has an empty header.", version_id: "2" },
  )
  const third = `${second}\n_Approved by legal on 4 March 2026._\n`
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "updated",
    version: "3",
    refs: [blob(third)],
    preview: shown(third),
    validation_issues: 0,
    diff_ref: blob("+_Approved by legal on 4 March 2026._\n", { media_type: "text/x-diff", title: "2 to 3" }),
  })
  rec.add("artifact.changed", turn.on, {
    artifact_id: "art_chart",
    change: "produced",
    owner: "documents",
    version: "1",
    title: "retention-by-type.svg",
    media_type: "image/svg+xml",
    refs: [blob("<svg/>", { media_type: "image/svg+xml" })],
    validation_issues: "unknown",
  })
  rec.add("artifact.changed", turn.on, {
    artifact_id: "art_scratch",
    change: "produced",
    owner: "documents",
    version: "1",
    title: "scratch-notes.md",
    media_type,
    refs: [blob("notes")],
    preview: shown("notes"),
    validation_issues: "unknown",
  })
  rec.add("artifact.changed", turn.on, {
    artifact_id: "art_scratch",
    change: "removed",
    owner: "documents",
    version: "1",
    title: "scratch-notes.md",
    refs: [blob("notes")],
    validation_issues: "unknown",
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_policy_sources",
    kind: "evidence",
    change: "observed",
    owner: "documents",
    ref: blob("sources", { title: "Sources of the policy" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "unknown",
    missing: ["tax adviser's letter"],
  })
  ask(turn, [
    {
      text: "The policy is ready in version 3, and exported as PDF. The DOCX export failed; the table needs a header.",
    },
  ])
  endTurn(turn)
  return rec.facts
}
