import { emptyChain } from "./chain.ts"
import type { AgentUiState } from "./state.ts"
import { emptyTable } from "./table.ts"

/** Before the first event. */
export function emptyState(): AgentUiState {
  return {
    revision: 0,
    opened: 0,
    oldest: 0,
    streams: emptyTable(),
    seen: emptyTable(),
    waiting: 0,
    before: undefined,
    sessions: emptyTable(),
    turns: emptyTable(),
    runs: emptyTable(),
    messages: emptyTable(),
    plans: emptyTable(),
    tools: emptyTable(),
    actions: emptyTable(),
    queues: emptyTable(),
    tasks: emptyTable(),
    agents: emptyTable(),
    teams: emptyTable(),
    handoffs: emptyTable(),
    reviews: emptyTable(),
    notifications: emptyTable(),
    contexts: emptyTable(),
    compactions: emptyTable(),
    permissions: emptyTable(),
    artifacts: emptyTable(),
    evidence: emptyTable(),
    metrics: emptyTable(),
    synced: emptyTable(),
    clientIds: emptyTable(),
    diagnostics: emptyChain(),
    unlisted: emptyChain(),
    findings: emptyChain(),
    dropped: 0,
    local: {
      activation: 0,
      expanded: emptyTable(),
      collapsed: emptyTable(),
      showReasoningDetail: false,
      drafts: emptyTable(),
      edits: emptyTable(),
    },
  }
}
