import type { AgentUiState, ProcessEntry } from "../state.ts"
import type { SurfaceName } from "../taxonomy.ts"

/** The ordered parts of messages and processes: who may say them, and where they show by default. */
export const partKinds = {
  user_text: { owners: ["session", "runtime"], surfaces: ["conversation"] },
  assistant_text: { owners: ["model", "runtime"], surfaces: ["conversation"] },
  reasoning_summary: { owners: ["model", "runtime"], surfaces: ["inline_process"] },
  reasoning_detail: { owners: ["model", "runtime"], surfaces: ["inline_process"] },
  plan: { owners: ["model", "runtime"], surfaces: ["inline_process", "hitl"] },
  runtime_status: { owners: ["runtime"], surfaces: ["runtime_status"] },
  tool_call: { owners: ["model", "tool"], surfaces: ["tool_ui"] },
  tool_result: { owners: ["tool"], surfaces: ["tool_ui"] },
  action_required: { owners: ["action", "policy"], surfaces: ["hitl"] },
  artifact_ref: { owners: ["artifact"], surfaces: ["artifact_workspace"] },
  evidence_ref: { owners: ["evidence"], surfaces: ["timeline_evidence"] },
  context_event: { owners: ["context"], surfaces: ["inline_process", "diagnostics"] },
  agent_task: { owners: ["task"], surfaces: ["task_capsule", "work_board"] },
  agent_roster: { owners: ["agent"], surfaces: ["team_roster"] },
  agent_handoff: { owners: ["agent"], surfaces: ["handoff_lane", "delegation_graph"] },
  worker_notification: { owners: ["agent", "task"], surfaces: ["worker_notifications", "timeline_evidence"] },
  remote_agent_status: { owners: ["agent", "task"], surfaces: ["remote_teammate"] },
  file_change: { owners: ["artifact", "tool"], surfaces: ["artifact_workspace", "timeline_evidence"] },
  error: { owners: [], surfaces: ["runtime_status", "tool_ui", "task_capsule"] },
  diagnostic: { owners: ["diagnostics"], surfaces: ["diagnostics"] },
} as const satisfies Record<string, { owners: readonly string[]; surfaces: readonly SurfaceName[] }>
export type PartKind = keyof typeof partKinds

export type ProcessPart = { part: PartKind; id: string; entry: ProcessEntry }

/** The parts of a run's process, in the order of the runtime's events. */
export function processParts(state: AgentUiState, runId: string): ProcessPart[] {
  const process = state.runs.get(runId)?.process ?? []
  return [...process].flatMap((entry) => kindsOf(state, entry).map((part) => ({ part, id: entry.id, entry })))
}

/** What a line of a process is in the taxonomy; a tool's line is also its result, its files and its failure. */
function kindsOf(state: AgentUiState, { kind, id, partId }: ProcessEntry): PartKind[] {
  switch (kind) {
    case "text":
      return [state.messages.get(id)?.role === "user" ? "user_text" : "assistant_text"]
    case "reasoning": {
      const part = state.messages.get(id)?.parts.find((one) => one.partId === partId)
      return [
        part?.kind === "reasoning" && part.summary !== undefined ? "reasoning_summary" : "reasoning_detail",
      ]
    }
    case "tool": {
      const tool = state.tools.get(id)
      const parts: PartKind[] = ["tool_call"]
      if (tool?.status === "output-available") parts.push("tool_result")
      if (tool && tool.files.length > 0) parts.push("file_change")
      if (tool?.status === "output-error") parts.push("error")
      return parts
    }
    case "agent":
      return [isRemote(state, id) ? "remote_agent_status" : "agent_roster"]
    case "evidence":
      return state.evidence.has(id) ? ["evidence_ref"] : []
    default:
      return [plainKinds[kind]]
  }
}

const isRemote = (state: AgentUiState, id: string) => {
  const agent = state.agents.get(id)
  return agent?.runtimeEntity === "external_task" || agent?.remoteTaskId !== undefined
}

const plainKinds = {
  status: "runtime_status",
  plan: "plan",
  action: "action_required",
  artifact: "artifact_ref",
  context: "context_event",
  compaction: "context_event",
  task: "agent_task",
  handoff: "agent_handoff",
  notification: "worker_notification",
  review: "evidence_ref",
  steer: "user_text",
  error: "error",
} as const
