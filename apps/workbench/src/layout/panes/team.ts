import type { Pane } from "../address.ts"
import { type PaneEntry, pane } from "./connect.tsx"

/** The panes about who works on what. */
export const teamPanes: Partial<Record<Pane, PaneEntry>> = {
  board: pane("work_board", async () => ({
    default: (await import("../../surfaces/WorkBoard.tsx")).WorkBoard,
  })),
  graph: pane("delegation_graph", async () => ({
    default: (await import("../../surfaces/DelegationGraph.tsx")).DelegationGraph,
  })),
  reviews: pane("review_lane", async () => ({
    default: (await import("../../surfaces/ReviewLane.tsx")).ReviewLane,
  })),
  handoffs: pane("handoff_lane", async () => ({
    default: (await import("../../surfaces/HandoffLane.tsx")).HandoffLane,
  })),
  notifications: pane("worker_notifications", async () => ({
    default: (await import("../../surfaces/WorkerNotifications.tsx")).WorkerNotifications,
  })),
  transcript: pane("teammate_transcript", async () => ({
    default: (await import("../../surfaces/TeammateTranscript.tsx")).TeammateTranscript,
  })),
  background: pane("background_teammate", async () => ({
    default: (await import("../../surfaces/BackgroundTeammates.tsx")).BackgroundTeammates,
  })),
  remote: pane("remote_teammate", async () => ({
    default: (await import("../../surfaces/RemoteTeammates.tsx")).RemoteTeammates,
  })),
}
