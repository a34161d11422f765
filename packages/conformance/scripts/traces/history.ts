import type { Envelope } from "@factum/facts"
import { ask, request, usual } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, failTurn, inSession, openSession, tell } from "./session.ts"
import { call, fail, judge, open } from "./tool.ts"

/** As an old log is after retention: streamed chunks that a final fact replaced are gone. */
const pruned = (facts: readonly Envelope[]) =>
  facts.filter(({ type }) => type !== "model.delta" && type !== "reasoning.delta")

export function oldSession() {
  const rec = record("2025-11-18T14:00:00.000Z")
  const session = openSession(rec, "old", "Rename the billing tables")
  const questions = [
    "Which tables have the old prefix?",
    "Write the migration.",
    "Run it on staging.",
    "Is anything left that uses the old names?",
  ]
  const answers = [
    "Seven tables begin with `bil_`.",
    "The migration is in `migrations/0042_rename.sql`.",
    "Done on staging in 3.1 s.",
    "Two reports still use `bil_invoice`; I listed them in `notes.md`.",
  ]
  for (const [index, question] of questions.entries()) {
    const turn = beginTurn(session, String(index + 1), question)
    ask(turn, [{ text: "Let me look." }, { call: "search", arguments: { pattern: "bil_" } }])
    call(turn, { tool: "search", input: { pattern: "bil_" }, output: `${7 - index} matches`, ms: 80 })
    ask(turn, [{ text: answers[index] ?? "" }])
    endTurn(turn)
    rec.wait(600_000)
  }
  rec.add("artifact.changed", session.on, {
    artifact_id: "art_migration",
    change: "observed",
    owner: "workspace",
    version: "3",
    title: "migrations/0042_rename.sql",
    media_type: "application/sql",
    refs: [blob("rename")],
    validation_issues: 0,
  })
  rec.add("output.expired", session.on, {
    ref: blob("5 matches", { title: "Output of search" }),
    bytes: 9,
    last_digest: "unknown",
    cause: "retention",
  })
  rec.add("session.updated", { session_id: session.on.session_id }, { changed: ["archived"], archived: true })
  rec.wait(90 * 86_400_000)
  rec.add(
    "session.updated",
    { session_id: session.on.session_id },
    { changed: ["archived"], archived: false },
  )
  rec.add(
    "history.reconstructed",
    { session_id: session.on.session_id },
    {
      source: "snapshot_and_log",
      snapshot_sequence: 40,
      through: rec.next(session.on.session_id) - 1,
      facts: 12,
      cause: "opened after a long time",
    },
  )
  rec.add(
    "history.window.loaded",
    { session_id: session.on.session_id },
    { window: { from: 40, to: rec.next(session.on.session_id) - 1 }, facts: 20, purpose: "open" },
  )
  return pruned(rec.facts)
}

/** Two sessions at once; of the first, some facts have not arrived. */
export function staleSwitch() {
  const rec = record("2026-03-08T08:00:00.000Z")
  const first = openSession(rec, "first", "Plan the offsite")
  const turn = beginTurn(first, "1", "Where could twelve people meet for two days?")
  const second = openSession(rec, "second", "Book the trains")
  const other = beginTurn(second, "1", "Trains from Porto to Évora on 4 May, please.")
  ask(turn, [{ text: "Évora has three houses with room for twelve." }])
  ask(other, [{ text: "08:39 from Porto, change in Lisbon, 13:02 in Évora." }])
  endTurn(other)
  call(turn, {
    tool: "search",
    input: { query: "houses in Évora for twelve" },
    output: "Quinta do Vale, Casa Alta, Monte Novo",
    ms: 410,
  })
  ask(turn, [{ text: "Quinta do Vale has a meeting room; I'd take that one." }])
  endTurn(turn)
  const lost = new Set(
    rec.facts
      .filter(({ session_id, type }) => session_id === "ses_first" && type === "tool.result")
      .map(({ sequence }) => sequence),
  )
  return rec.facts.filter(({ session_id, sequence }) => session_id !== "ses_first" || !lost.has(sequence))
}

export function compaction() {
  const rec = record("2026-03-08T09:00:00.000Z")
  const session = openSession(rec, "compact", "Refactor the parser")
  for (const id of ["1", "2", "3"]) {
    const turn = beginTurn(session, id, `Step ${id}: split the parser further.`)
    ask(turn, [{ text: `Step ${id} is done: the parser has ${Number(id) + 2} modules now.` }], {
      context: 48_000 * Number(id),
    })
    endTurn(turn)
  }
  tell(
    inSession(session),
    "context.changed",
    {
      owner: "context",
      scope: "thread",
      phase: "acting",
      surface: "inline_process",
      persistence: "snapshot",
    },
    { budget: { used: 148_000, limit: 160_000, reserved: 12_000, unit: "tokens", low: true } },
  )
  const to = rec.next(session.on.session_id) - 1
  rec.add("context.compaction.started", session.on, {
    compaction_id: "cmp_1",
    cause: "93 % of the context is used",
    from: 3,
    to,
  })
  rec.wait(5200)
  rec.add("context.compaction.failed", session.on, {
    compaction_id: "cmp_1",
    cause: "the model gave no summary",
  })
  rec.add("context.compaction.started", session.on, {
    compaction_id: "cmp_2",
    cause: "93 % of the context is used",
    from: 3,
    to,
  })
  rec.wait(4100)
  rec.add("context.compaction.completed", session.on, {
    compaction_id: "cmp_2",
    from: 3,
    to,
    summary_ref: blob("summary", {
      title: "Three steps of splitting the parser; five modules; tests green.",
    }),
    kept: [{ uri: "goal:parser", kind: "record", title: "Goal" }],
  })
  tell(
    inSession(session),
    "context.changed",
    {
      owner: "context",
      scope: "thread",
      phase: "acting",
      surface: "inline_process",
      persistence: "snapshot",
    },
    { budget: { used: 21_000, limit: 160_000, reserved: 12_000, unit: "tokens", low: false } },
  )
  const after = beginTurn(session, "4", "Step 4: name the modules after what they read.")
  ask(after, [{ text: "Renamed: `tokens`, `blocks`, `inlines`, `tables`, `links`." }], { context: 24_000 })
  endTurn(after)
  return rec.facts
}

/** A host that was killed: what is certain, what is lost, and what nobody knows. */
export function restart() {
  const rec = record("2026-03-08T10:00:00.000Z")
  const session = openSession(rec, "restart", "Send the invoices")
  const turn = beginTurn(session, "1", "Send the March invoices to the 40 customers.")
  ask(turn, [{ text: "Sending them now." }, { call: "send_invoices", arguments: { month: "2026-03" } }])
  const sending = { tool: "send_invoices", input: { month: "2026-03" }, output: "" }
  const at = open(turn, sending)
  judge(turn, at, sending, "allow", "allowed for this session")
  rec.add("tool.progress", at.on, { attempt: 1, note: "Sent 17 of 40", done: 17, total: 40 })
  rec.wait(40_000)
  rec.add(
    "history.reconstructed",
    { session_id: session.on.session_id },
    {
      source: "log",
      through: rec.next(session.on.session_id) - 1,
      facts: rec.next(session.on.session_id) - 1,
      cause: "the host was started again",
    },
  )
  rec.add(
    "runtime.warning",
    { ...turn.on },
    {
      code: "unclean_stop",
      message: "The host stopped while work was going on.",
      affected: [{ kind: "turn", id: turn.turn_id }],
      next: "Look at the calls whose outcome is unknown.",
    },
  )
  fail(turn, at, {
    category: "outcome_unknown",
    message: "The host stopped while this ran. How many invoices went out is not known.",
    next: "Look in the outbox, then send the rest.",
  })
  failTurn(turn, {
    status: "failed",
    category: "runtime_restart",
    reason: "The host was stopped while the turn ran.",
    by: "runtime",
    next: "Check the outbox, then send the message again.",
  })
  return rec.facts
}

export function batchJob() {
  const rec = record("2026-03-08T11:00:00.000Z")
  const session = openSession(rec, "batch", "Label 6 receipts")
  const at = { session_id: session.on.session_id, thread_id: session.on.thread_id }
  const items = ["lunch", "train", "hotel", "paper", "taxi", "coffee"].map((title, index) => ({
    item_id: `item_${index + 1}`,
    title: `receipt-${title}.jpg`,
  }))
  rec.add("job.created", at, {
    job_id: "job_receipts",
    title: "Label the receipts of February",
    items,
    failure_rule: { kind: "more_failures_than", count: 1 },
  })
  rec.add("job.started", at, { job_id: "job_receipts" })
  const counts = { total: 6, running: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const [index, { item_id }] of items.entries()) {
    const item = { job_id: "job_receipts", item_id, attempt: 1 }
    rec.add("job.item.started", at, { ...item, worker: `labeller-${(index % 2) + 1}` })
    rec.wait(1400)
    if (index === 3) {
      rec.add("job.item.failed", at, {
        ...item,
        status: "failed",
        category: "tool_error",
        reason: "The picture is too dark to read.",
      })
      counts.failed++
    } else {
      rec.add("job.item.completed", at, { ...item, output_refs: [blob(`label ${item_id}`)] })
      counts.completed++
    }
    rec.add("job.progress", at, { job_id: "job_receipts", counts: { ...counts } })
  }
  rec.add("job.completed", at, { job_id: "job_receipts", counts })
  return rec.facts
}

export function unknownEverything() {
  const rec = record("2026-03-08T12:00:00.000Z")
  const session = openSession(rec, "unknown", "Words from the future")
  const turn = beginTurn(session, "1", "Show what you cannot know.")
  rec.addOther("x-acme.telemetry", turn.on, { reading: 4, note: "A class of another vendor" })
  rec.addOther("x-agent-ui.dream.changed", turn.on, { payload: { vividness: 3 } })
  tell(
    turn,
    "agent.changed",
    {
      owner: "orchestra",
      scope: "galaxy",
      phase: "dreaming",
      surface: "holodeck",
      persistence: "amber",
      topology: "constellation",
      agent_id: "nobody",
    },
    { status: "levitating", runtime_entity: "ghost" },
  )
  tell(
    turn,
    "task.changed",
    { owner: "task", scope: "task", phase: "acting", surface: "work_board", task_id: "tsk_unknown" },
    { title: "A task of unknown state" },
  )
  tell(
    turn,
    "action.required",
    { owner: "action", scope: "action_request", phase: "waiting", surface: "hitl", action_id: "act_unknown" },
    { title: "A question of unknown kind", action_type: "telepathy" },
  )
  tell(
    turn,
    "tool.result",
    {
      owner: "tool",
      scope: "tool_call",
      phase: "completed",
      surface: "tool_ui",
      tool_call_id: "tcl_never_started",
    },
    { preview: { text: "A result of a call that nobody saw begin" } },
  )
  tell(
    turn,
    "artifact.created",
    {
      owner: "artifact",
      scope: "artifact",
      phase: "producing",
      surface: "artifact_workspace",
      artifact_id: "art_unknown",
    },
    {},
  )
  tell(
    turn,
    "evidence.changed",
    { owner: "evidence", scope: "evidence", surface: "timeline_evidence", evidence_id: "evd_unknown" },
    {},
  )
  tell(
    turn,
    "agent.completed",
    { owner: "agent", scope: "agent", surface: "team_roster", agent_id: "sub_silent" },
    {},
  )
  tell(turn, "run.finished", { owner: "runtime", scope: "run", surface: "runtime_status" }, {})
  tell(
    turn,
    "text.delta",
    { owner: "model", scope: "part", surface: "conversation" },
    { delta: "words of no message" },
  )
  rec.add("cost.recorded", turn.on, {
    request_id: "req_unknown",
    amount: "unknown",
    currency: "EUR",
    usage: { input_tokens: "unknown", output_tokens: "unknown" },
    outcome: "unknown",
  })
  return rec.facts
}

export function longThread(turns = 60) {
  const rec = record("2026-03-09T08:00:00.000Z")
  const session = openSession(rec, "long", "A long day of small questions")
  const topics = ["the importer", "the mail templates", "the search index", "the invoices", "the login page"]
  for (let number = 1; number <= turns; number++) {
    const topic = topics[number % topics.length] ?? "the rest"
    const turn = beginTurn(
      session,
      String(number),
      `Question ${number}: what changed in ${topic} this week?`,
      { tools: ["search"] },
    )
    if (number % 3 === 0) {
      ask(turn, [{ text: "I'll look." }, { call: "search", arguments: { query: topic } }])
      call(turn, {
        tool: "search",
        input: { query: topic },
        output: `${(number * 7) % 11} changes in ${topic}`,
        ms: 60,
      })
    }
    ask(turn, [
      {
        text: `In ${topic}, ${(number * 7) % 11} changes were merged. The largest one is number ${4000 + number}; it touches ${(number % 5) + 1} files and has tests.`,
      },
    ])
    endTurn(turn)
    rec.wait(45_000)
  }
  const open = beginTurn(session, String(turns + 1), "And which of them is not released yet?", { tools: [] })
  request(open, usual)
  return rec.facts
}
