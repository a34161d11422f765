import type { FileChange, OutputPreview } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, RunEntity, ToolEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { surfaceControls, type ToolStatus, toolStates } from "../taxonomy.ts"
import { isAsking } from "../words.ts"
import { kept } from "./memo.ts"
import { aim, offer } from "./offer.ts"
import { assemble, ready, runOf } from "./standing.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { type Doer, doerOf, given, picked, type Who, whoIs } from "./who.ts"

export type ToolRow = Mark & {
  toolCallId: string
  toolName: Known<string>
  title?: string
  source?: string
  sideEffect?: string
  who?: Who
  runId?: string
  status: ToolStatus
  /** Shown open: while it works, when it failed, and when a person is asked. */
  expanded: boolean
  input: Known<OutputPreview>
  /** The input so far, while it streams and may be seen. */
  partialInput?: readonly string[]
  inputRef?: string
  progress?: NonNullable<ToolEntity["progress"]>
  channels: readonly { channel: string; blocks: readonly string[] }[]
  output: Known<OutputPreview>
  /** Where the whole output is read, on demand. */
  outputRefs: readonly string[]
  durationMs: Known<number>
  success: boolean | "unknown"
  files: readonly FileChange[]
  failure?: NonNullable<ToolEntity["failure"]>
  startedAt?: string
  endedAt?: string
  controls: readonly ControlView[]
}

/** `earlier`: how many lines of the process lie before those whose calls are shown. */
export type ToolUiView = View & { calls: readonly ToolRow[]; running: number; earlier: number }

/** How far back in the process of the run calls are shown; older ones stay in the timeline. */
const shown = 400

export const toolUi: Surface<ToolUiView> = {
  reads: ["tools", "runs", "agents", "actions", "local"],
  select(state, scope, ports) {
    const process = runOf(state, scope)?.process
    const earlier = scope.window === undefined ? Math.max(0, (process?.length ?? 0) - shown) : 0
    const calls = (process?.slice(earlier) ?? []).flatMap(({ kind, id }) =>
      kind === "tool" ? (toolRowOf(state, id, ports) ?? []) : [],
    )
    return assemble(
      "tool_ui",
      { state, scope, ports },
      {
        has: calls.length > 0,
        marks: calls,
        aims: {
          retry: aim(calls.some(isRetryable), "tool.retry"),
          stop: aim(calls.some(isOpen), "tool.stop"),
          open_detail: aim(calls.length > 0, "session.read"),
        },
      },
      { calls, running: calls.filter(isOpen).length, earlier },
    )
  },
}

/** A call as a row, made anew only when the call, its run, its doer or what waits on it changed. */
export function toolRowOf(
  state: AgentUiState,
  toolCallId: string,
  ports: AvailablePorts,
): ToolRow | undefined {
  const tool = state.tools.get(toolCallId)
  if (!tool) return undefined
  const run = lookUp(state.runs, tool.origin.runId)
  const choice = state.local.collapsed.has(toolCallId) ? false : state.local.expanded.get(toolCallId)
  return toolRow(
    tool,
    endOf(run),
    doerOf(state, tool.origin),
    awaited(state.actions).has(toolCallId),
    choice,
    ports,
  )
}

const endOf = (run: RunEntity | undefined) => (run?.ended ? (run.outcome ?? "unknown") : undefined)

const toolRow = kept(
  (
    tool: ToolEntity,
    ended: string | undefined,
    doer: Doer,
    approval: boolean,
    choice: "inline" | "timeline" | false | undefined,
    ports: AvailablePorts,
  ): ToolRow => {
    const status =
      ended !== undefined && isOpen(tool) ? (ended === "cancelled" ? "cancelled" : "unknown") : tool.status
    const open = isOpen({ status })
    const failed = status === "output-error"
    const done = status === "output-available"
    return {
      ...picked(tool, "toolCallId", "outputRefs", "files", "title", "source", "sideEffect", "inputRef"),
      ...picked(tool, "progress", "failure", "startedAt", "endedAt"),
      toolName: known(tool.toolName),
      status,
      ...markOf(tool, status, approval),
      expanded: choice === "inline" || (choice === undefined && (open || failed || approval)),
      input: known(tool.input),
      channels: Object.entries(tool.channels).map(([channel, { blocks }]) => ({ channel, blocks })),
      output: tool.preview ?? (done || failed ? "unavailable" : "unknown"),
      durationMs: known(tool.durationMs),
      success: tool.success ?? "unknown",
      ...given({ who: whoIs(doer), runId: tool.origin.runId }),
      ...(status === "input-streaming" && !tool.sensitive && tool.partialInput.length > 0
        ? { partialInput: tool.partialInput.blocks }
        : {}),
      controls: offer(surfaceControls.tool_ui, ports, {
        retry: aim(isRetryable({ status, failure: tool.failure }), "tool.retry"),
        stop: aim(open, "tool.stop"),
        open_detail: aim(true, "session.read"),
      }),
    }
  },
)

function markOf(tool: ToolEntity, status: ToolStatus, approval: boolean): Mark {
  if (approval) return { state: "blocked", reason: "awaiting_approval" }
  if (status === "unknown") return { state: "unknown", reason: "outcome_unknown" }
  const nowhere = status === "output-available" && !tool.preview && tool.outputRefs.length === 0
  return nowhere ? { state: "unavailable", reason: "output_unavailable" } : ready
}

/** The calls that a person must first let happen. */
const awaited = kept((actions: AgentUiState["actions"]): ReadonlySet<string> => {
  const calls = new Set<string>()
  for (const { state, toolCallId } of actions.values()) {
    if (isAsking(state) && toolCallId !== undefined) calls.add(toolCallId)
  }
  return calls
})

const open: readonly ToolStatus[] = toolStates.slice(0, 4)
export const isOpen = ({ status }: { status: ToolStatus }) => open.includes(status)
const isRetryable = ({ status, failure }: { status: ToolStatus; failure?: ToolEntity["failure"] }) =>
  status === "output-error" && failure?.retryable === true
