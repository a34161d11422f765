import type { AvailablePorts, PortName } from "../ports.ts"
import type { Control, SurfaceName } from "../taxonomy.ts"
import type { Reason } from "../words.ts"
import type { ControlView } from "./view.ts"

/** What each surface offers, in this order, and nothing else. */
export const surfaceControls = {
  composer: ["send", "queue", "steer", "interrupt"],
  conversation: ["retry", "rollback", "open_detail"],
  inline_process: ["interrupt", "open_detail"],
  runtime_status: ["interrupt", "retry"],
  tool_ui: ["retry", "stop", "open_detail"],
  hitl: ["approve", "reject", "answer", "edit"],
  task_capsule: ["stop", "retry", "open_detail"],
  artifact_workspace: ["edit", "rollback", "export", "retry", "open_detail"],
  timeline_evidence: ["export", "request_review", "open_detail"],
  session_tabs: ["open_detail"],
  diagnostics: ["open_detail"],
  team_roster: ["delegate", "continue_agent", "wait", "stop", "close"],
  work_board: ["assign", "request_review", "open_detail"],
  delegation_graph: ["wait", "retry", "stop", "open_detail"],
  handoff_lane: ["continue_agent", "open_detail"],
  worker_notifications: ["retry", "open_detail"],
  review_lane: ["request_review", "open_detail"],
  teammate_transcript: ["continue_agent", "stop", "open_detail"],
  background_teammate: ["stop", "retry", "close", "open_detail"],
  remote_teammate: ["answer", "continue_agent", "stop", "open_detail"],
  team_policy: ["approve", "reject", "stop", "close"],
} as const satisfies Record<SurfaceName, readonly Control[]>

/** Which owners' ports can carry out a control; what it is about may need one of them in particular. */
export const controlPorts = {
  send: ["runtime.submit"],
  queue: ["runtime.queue"],
  steer: ["runtime.steer"],
  interrupt: ["runtime.interrupt"],
  delegate: ["team.delegate"],
  assign: ["team.assign"],
  continue_agent: ["team.continue"],
  wait: ["team.wait"],
  stop: ["team.stop", "runtime.stop", "task.stop", "job.stop", "tool.stop"],
  close: ["team.close"],
  request_review: ["evidence.review"],
  approve: ["runtime.respond", "policy.respond"],
  reject: ["runtime.respond", "policy.respond"],
  answer: ["runtime.respond"],
  edit: ["artifact.edit", "runtime.respond"],
  retry: ["runtime.retry", "artifact.retry", "team.retry", "task.retry", "job.retry", "tool.retry"],
  rollback: ["artifact.rollback", "session.rollback"],
  export: ["artifact.export", "evidence.export"],
  open_detail: ["session.read", "artifact.read", "evidence.read"],
} as const satisfies Record<Control, readonly PortName[]>

/** Whether there is something to act on, and which ports would take it; any of the control's own when none is named. */
export type Aim = { found: boolean; via: readonly PortName[] }
export type Aims = Readonly<Partial<Record<Control, Aim>>>
export const aim = (found: boolean, ...via: PortName[]): Aim => ({ found, via })

export function offer(
  controls: readonly Control[],
  ports: AvailablePorts,
  aims: Aims,
  held?: Reason,
): ControlView[] {
  return controls.map((control) => {
    const reason = obstacle(control, ports, aims[control], ports.held ?? held)
    return reason ? { control, enabled: false, reason } : { control, enabled: true }
  })
}

function obstacle(control: Control, ports: AvailablePorts, at?: Aim, held?: Reason): Reason | undefined {
  const able: readonly PortName[] = at?.via.length ? at.via : controlPorts[control]
  if (!able.some((port) => ports.has(port))) return "no_port"
  if (!at?.found) return "no_target"
  // Looking is always allowed; only a write waits until what it rests on is known again.
  return control === "open_detail" ? undefined : held
}
