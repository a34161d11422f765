import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, HandoffEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { aim, offer, surfaceControls } from "./offer.ts"
import { assemble, inScope, ready } from "./standing.ts"
import {
  type ControlView,
  type Known,
  known,
  type Mark,
  type Surface,
  type View,
  type ViewScope,
} from "./view.ts"
import { agentWho, given, type Who } from "./who.ts"

export type HandoffRow = Mark & {
  handoffId: string
  from: Known<Who>
  to: Known<Who>
  /** Why it was handed over. */
  reasonGiven: Known<string>
  /** Why it came back, once it did. */
  returnReason?: string
  resumeTarget: Known<string>
  memoryBoundary: Known<string>
  status: Known<string>
  acceptedAt?: string
  at?: string
  controls: readonly ControlView[]
}
export type HandoffLaneView = View & {
  handoffs: readonly HandoffRow[]
  /** Who owns the conversation from the newest handoff on. */
  activeOwner: Known<Who>
}

export const handoffLane: Surface<HandoffLaneView> = {
  reads: ["handoffs", "agents"],
  select(state, scope, ports) {
    const handoffs = inScope(state, state.handoffs, scope).map((handoff) =>
      row(handoff, whoFor(state, handoff.from), whoFor(state, handoff.to), ports),
    )
    const owner = activeOwner(state, scope)
    const newest = handoffs.at(-1)
    return assemble(
      "handoff_lane",
      { state, scope, ports },
      {
        has: handoffs.length > 0,
        marks: newest ? [newest] : [],
        aims: {
          continue_agent: aim(owner !== undefined),
          open_detail: aim(handoffs.length > 0, "session.read"),
        },
      },
      { handoffs, activeOwner: known(owner === undefined ? undefined : agentWho(state, owner)) },
    )
  },
}

const whoFor = (state: AgentUiState, agentId: string | undefined) =>
  agentId === undefined ? "unknown" : agentWho(state, agentId)

const row = kept(
  (handoff: HandoffEntity, from: Known<Who>, to: Known<Who>, ports: AvailablePorts): HandoffRow => {
    const { handoffId, acceptedAt, origin } = handoff
    return {
      handoffId,
      ...markOf(handoff),
      from,
      to,
      reasonGiven: known(handoff.reason),
      resumeTarget: known(handoff.resumeTarget),
      memoryBoundary: known(handoff.memoryBoundary),
      status: known(handoff.status),
      ...given({ acceptedAt, returnReason: handoff.returnReason, at: origin.timestamp }),
      controls: offer(surfaceControls.handoff_lane, ports, {
        continue_agent: aim(handoff.to !== undefined),
        open_detail: aim(true, "session.read"),
      }),
    }
  },
)

function markOf({ status, acceptedAt, reason, resumeTarget }: HandoffEntity): Mark {
  if (status === "handoff_requested") return { state: "blocked", reason: "awaiting_acceptance" }
  if (status === "accepted" && acceptedAt === undefined)
    return { state: "stale", reason: "awaiting_confirmation" }
  return reason === undefined || resumeTarget === undefined
    ? { state: "unknown", reason: "reason_unknown" }
    : ready
}

/** The owner after the newest handoff that took effect; one that was only asked for changes nothing. */
export function activeOwner(state: AgentUiState, scope: ViewScope): string | undefined {
  const taken = inScope(state, state.handoffs, scope).filter(({ status }) => status !== "handoff_requested")
  const newest = taken.at(-1)
  return newest && (newest.status === "returned" || newest.status === "resumed" ? newest.from : newest.to)
}
