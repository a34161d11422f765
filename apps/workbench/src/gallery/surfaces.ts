import type { SurfaceName, ViewOf } from "@factum/agent-ui"
import type { ComponentType } from "react"
import { ArtifactWorkspace } from "../surfaces/ArtifactWorkspace.tsx"
import { BackgroundTeammates } from "../surfaces/BackgroundTeammates.tsx"
import { DelegationGraph } from "../surfaces/DelegationGraph.tsx"
import { Diagnostics } from "../surfaces/Diagnostics.tsx"
import { HandoffLane } from "../surfaces/HandoffLane.tsx"
import { Hitl } from "../surfaces/Hitl.tsx"
import { InlineProcess } from "../surfaces/InlineProcess.tsx"
import type { SurfaceProps } from "../surfaces/props.ts"
import { RemoteTeammates } from "../surfaces/RemoteTeammates.tsx"
import { ReviewLane } from "../surfaces/ReviewLane.tsx"
import { RuntimeStatus } from "../surfaces/RuntimeStatus.tsx"
import { TaskCapsules } from "../surfaces/TaskCapsules.tsx"
import { TeammateTranscript } from "../surfaces/TeammateTranscript.tsx"
import { TeamPolicy } from "../surfaces/TeamPolicy.tsx"
import { TeamRoster } from "../surfaces/TeamRoster.tsx"
import { TimelineEvidence } from "../surfaces/TimelineEvidence.tsx"
import { ToolUi } from "../surfaces/ToolUi.tsx"
import { WorkBoard } from "../surfaces/WorkBoard.tsx"
import { WorkerNotifications } from "../surfaces/WorkerNotifications.tsx"
import { ShownComposer, ShownConversation, ShownTabs } from "./talk.tsx"

/** The component of each surface, and the recorded trace that shows it best. */
type Exhibit<S extends SurfaceName> = { component: ComponentType<SurfaceProps<ViewOf<S>>>; trace: string }
type Exhibits = { [S in SurfaceName]?: Exhibit<S> }

export const exhibits: Exhibits = {
  composer: { component: ShownComposer, trace: "queue-and-steer" },
  conversation: { component: ShownConversation, trace: "text-tool-text" },
  inline_process: { component: InlineProcess, trace: "solo-run" },
  runtime_status: { component: RuntimeStatus, trace: "solo-run" },
  tool_ui: { component: ToolUi, trace: "failed-tools" },
  hitl: { component: Hitl, trace: "nine-actions" },
  session_tabs: { component: ShownTabs, trace: "stale-switch" },
  team_roster: { component: TeamRoster, trace: "coordinator-team" },
  task_capsule: { component: TaskCapsules, trace: "parallel-workers" },
  worker_notifications: { component: WorkerNotifications, trace: "coordinator-team" },
  work_board: { component: WorkBoard, trace: "human-agent-board" },
  delegation_graph: { component: DelegationGraph, trace: "parallel-workers" },
  handoff_lane: { component: HandoffLane, trace: "specialist-handoff" },
  review_lane: { component: ReviewLane, trace: "review-team" },
  teammate_transcript: { component: TeammateTranscript, trace: "coordinator-team" },
  background_teammate: { component: BackgroundTeammates, trace: "background-teammate" },
  artifact_workspace: { component: ArtifactWorkspace, trace: "artifact-life" },
  timeline_evidence: { component: TimelineEvidence, trace: "solo-run" },
  diagnostics: { component: Diagnostics, trace: "solo-run" },
  team_policy: { component: TeamPolicy, trace: "coordinator-team" },
  remote_teammate: { component: RemoteTeammates, trace: "remote-teammate" },
}
