import { blob, digestOf, pieces, shown } from "./recording.ts"
import { status, type Turn } from "./session.ts"

export type Called = {
  tool: string
  input: Record<string, unknown>
  output: string
  ms?: number
  /** Which rule of the policy let it pass. */
  rule?: string
  notes?: readonly string[]
  /** A command line, run in the sandbox and shown as it prints. */
  command?: readonly string[]
  exit?: number
  network?: "none" | "limited"
  partly?: readonly string[]
}
type Place = {
  on: Turn["on"] & { step_id: string; tool_call_id: string }
  tool_call_id: string
  evaluation_id: string
}

/** One allowed call from its opening to its result. */
export function call(turn: Turn, one: Called): string {
  const at = open(turn, one)
  judge(turn, at, one, "allow", one.rule ?? "reads are allowed")
  run(turn, at, one)
  finish(turn, at, one)
  return at.tool_call_id
}

export function open(turn: Turn, { tool, input, partly }: Called): Place {
  const { rec } = turn.session
  const number = ++turn.calls
  const id = `${turn.turn_id.slice(4)}_${number}`
  const tool_call_id = `tcl_${id}`
  const on = { ...turn.on, step_id: `stp_${id}_call`, tool_call_id }
  const written = JSON.stringify(input)
  rec.wait(12)
  rec.add("tool.started", on, {
    tool,
    owner: "builtin",
    effect: tool === "read_file" || tool === "search" || tool === "fetch" ? "none" : "once",
    cause: { request_id: `req_${turn.turn_id.slice(4)}_${turn.requests}`, call_id: `call_${id}` },
  })
  for (const chunk of partly ?? []) rec.add("tool.args", on, { final: false, chunk })
  const input_ref = blob(written, { media_type: "application/json" })
  rec.add("tool.args", on, { final: true, input_ref, preview: shown(written) })
  return { on, tool_call_id, evaluation_id: `evl_${id}` }
}

export function judge(
  turn: Turn,
  { on, evaluation_id }: Place,
  { tool, input, command }: Called,
  verdict: "allow" | "ask" | "deny",
  rule: string,
): void {
  const summary = shown(command?.join(" ") ?? JSON.stringify(input))
  const { step_id, tool_call_id } = on
  turn.session.rec.add(
    "permission.evaluated",
    { ...turn.on, step_id, tool_call_id },
    {
      evaluation_id,
      operation: { kind: "tool", name: tool, digest: digestOf(JSON.stringify(input)), summary },
      sources: [
        { source: "mode", verdict: "none", rule: "ask mode" },
        { source: "rule", verdict, rule },
      ],
      winner: { source: "rule", rule },
      verdict,
      policy_version: "v7",
    },
  )
}

/** The effect itself: recorded before it begins, in its boundary, with what it prints. */
export function run(
  turn: Turn,
  { on }: Place,
  { command, output, notes = [], ms = 180, exit = 0, network = "none" }: Called,
): void {
  const { rec } = turn.session
  if (command !== undefined) {
    const process_id = `prc_${on.tool_call_id.slice(4)}`
    const profile = "workspace-write"
    rec.add("sandbox.applied", on, {
      process_id,
      requested: profile,
      profile,
      driver: "bubblewrap",
      in_force: true,
      readable: ["/usr", "/workspace"],
      writable: ["/workspace"],
      network,
    })
    rec.add("tool.progress", on, { attempt: 1 })
    rec.add("process.started", on, {
      process_id,
      command: [...command],
      cwd: "/workspace",
      sandbox_profile: profile,
      network,
      stdin: "closed",
      tty: false,
      long_lived: false,
      time_limit_ms: 120_000,
    })
    let offset = 0
    for (const text of pieces(output, 160)) {
      rec.wait(Math.round(ms / 8))
      rec.add("process.output", on, {
        process_id,
        channel: "stdout",
        offset,
        bytes: Buffer.byteLength(text),
        text,
      })
      offset += Buffer.byteLength(text)
    }
    rec.add("process.completed", on, { process_id, exit_code: exit, duration_ms: ms })
    return
  }
  rec.add("tool.progress", on, { attempt: 1 })
  for (const [index, note] of notes.entries()) {
    rec.wait(Math.round(ms / (notes.length + 1)))
    rec.add("tool.progress", on, { note, done: index + 1, total: notes.length })
  }
  rec.wait(ms)
}

export function finish(turn: Turn, { on }: Place, { output, ms = 180 }: Called): void {
  const output_refs = [blob(output, { media_type: "text/plain" })]
  turn.session.rec.add("tool.result", on, { output_refs, preview: shown(output), duration_ms: ms })
}

type Failure = {
  category:
    | "tool_error"
    | "permission_denied"
    | "interrupted"
    | "time_limit"
    | "outcome_unknown"
    | "sandbox_violation"
    | "hook_blocked"
    | "runtime_restart"
  message: string
  next?: string
}

export function fail(turn: Turn, { on }: Place, failure: Failure, output?: string): void {
  const told =
    output === undefined ? {} : { output_refs: [blob(output)], preview: shown(output), duration_ms: 900 }
  turn.session.rec.add("tool.failed", on, { ...failure, ...told })
}

/** A call that a person has to allow. The answer is the caller's to tell. */
export function askFor(
  turn: Turn,
  one: Called,
  question: {
    title: string
    detail: string
    risk: "low" | "medium" | "high"
    requester?: { kind: "agent" | "subagent"; id?: string; name?: string }
    type?: "tool_approval" | "delegated_permission"
  },
): Place & { action_id: string; request_id: string } {
  const { rec, on: scope } = turn.session
  const at = open(turn, one)
  judge(turn, at, one, "ask", "changes are asked")
  const action_id = `act_${at.tool_call_id.slice(4)}`
  const request_id = `prq_${at.tool_call_id.slice(4)}`
  const asked = { ...at.on, action_id }
  const summary = shown(one.command?.join(" ") ?? JSON.stringify(one.input))
  const operation = {
    kind: "tool" as const,
    name: one.tool,
    digest: digestOf(JSON.stringify(one.input)),
    summary,
  }
  rec.add("permission.requested", asked, {
    request_id,
    evaluation_id: at.evaluation_id,
    operation,
    waits_for: "human",
  })
  rec.add("action.required", asked, {
    action_type: question.type ?? "tool_approval",
    title: question.title,
    detail: question.detail,
    parent: { kind: "tool_call", id: at.tool_call_id },
    decided_by: "human",
    decisions: [
      { id: "approve", label: "Approve", effect: "allow" },
      { id: "approve_session", label: "Approve for this session", effect: "allow" },
      { id: "reject", label: "Reject", effect: "deny" },
    ],
    requester: question.requester ?? { kind: "agent", name: "lead" },
    tool: one.tool,
    risk: question.risk,
    policy_scope: "workspace",
    safe_input: summary,
  })
  status(turn, "waiting_permission", "Waiting for your approval", question.title)
  rec.add("thread.updated", scope, {
    status: "waiting",
    previous: "active",
    active_turn_id: turn.turn_id,
    reason: "approval needed",
  })
  return { ...at, action_id, request_id }
}

export function answer(
  turn: Turn,
  at: { on: Turn["on"]; action_id: string; request_id: string },
  decision: "approve" | "reject",
  after = 14_000,
  note?: string,
): void {
  const { rec, on: scope } = turn.session
  const decider = { kind: "human" as const, id: "ana" }
  rec.wait(after)
  const asked = { ...at.on, action_id: at.action_id }
  rec.add("action.resolved", asked, {
    reason: "answered",
    decision,
    decider,
    ...(note !== undefined && { note }),
  })
  const outcome = decision === "approve" ? "allowed" : "denied"
  rec.add("permission.resolved", asked, { request_id: at.request_id, outcome, decider, policy_version: "v7" })
  rec.add("thread.updated", scope, {
    status: "active",
    previous: "waiting",
    active_turn_id: turn.turn_id,
    reason: "answered",
  })
  status(turn, "running", "Working", "")
}
