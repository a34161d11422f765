import type { AgentUiEnvelope } from "../envelope.ts"
import { given } from "./translation.ts"

type Fields = Readonly<Record<string, unknown>>

/** Events of the classes that foreign ones become, with the owner and place of their class. */
export const run = (type: string, phase: string, payload: Fields): AgentUiEnvelope => ({
  type,
  owner: "runtime",
  scope: "run",
  phase,
  surface: "runtime_status",
  payload,
})
export const tool = (type: string, toolCallId: string, payload: Fields): AgentUiEnvelope => ({
  type,
  toolCallId,
  owner: "tool",
  scope: "tool_call",
  surface: "tool_ui",
  payload,
})
export const action = (type: string, actionId: string, rest: Partial<AgentUiEnvelope>): AgentUiEnvelope => ({
  type,
  actionId,
  owner: "action",
  scope: "action_request",
  surface: "hitl",
  ...rest,
})
export const state = (type: string, payload: Fields): AgentUiEnvelope => ({
  type,
  owner: "session",
  scope: "session",
  payload,
})
export const agent = (type: string, payload: Fields): AgentUiEnvelope => ({
  type,
  owner: "agent",
  scope: "agent",
  surface: "team_roster",
  payload: given(payload),
})
export const evidence = (evidenceId: string, payload: Fields): AgentUiEnvelope => ({
  type: "evidence.changed",
  evidenceId,
  owner: "evidence",
  scope: "evidence",
  surface: "timeline_evidence",
  payload: { kind: "citation", ...payload },
})
