import type { RuntimeEvent } from "@factum/facts"
import type { Processes, RecordFacts } from "./adapters/processes/index.ts"
import type { UnavailableTool } from "./catalog.ts"
import type { Window } from "./context/window.ts"
import type { Delegate } from "./delegation/child-agent.ts"
import type { PipelineSpec } from "./executors/pipeline.ts"
import type { Hook } from "./hooks/index.ts"
import type { Classifier } from "./policy/classifier.ts"
import type { Policy } from "./policy/types.ts"
import type { ArtifactPort } from "./ports/artifact.ts"
import type { Clock, Ids } from "./ports/clock.ts"
import type { BlobStore } from "./ports/log.ts"
import type { Reasoning } from "./ports/model.ts"
import type { Boundary, Tool, ToolRun, Workspace } from "./ports/tool.ts"
import type { Redactor } from "./redact.ts"
import type { TaskProfile } from "./routing/route.ts"

type Context = Extract<RuntimeEvent, { type: "context.resolved" }>["payload"]

/** What tools are built with. */
export type World = {
  processes: Processes
  blobs: BlobStore
  clock: Clock
  ids: Ids
  redactor: Redactor
  /** Facts of a call that go on after its turn, for example of a server that it started. */
  afterTurn: (run: ToolRun) => RecordFacts
  /** Their owner, where there is one. */
  artifacts?: ArtifactPort
}

/** Who works in a turn, with what, where, and what it may do. Read once when a turn begins. */
export type Agent = {
  name: string
  instructions: string
  /** Whether it declares work with the protocol, or calls tools one by one. */
  protocol: boolean
  tools: readonly Tool[]
  /** Names or patterns of the tools that it may use; without them, all. */
  only?: readonly string[]
  /** Tools that are known and cannot be reached now, with the reason. */
  unavailable?: readonly UnavailableTool[]
  hooks?: readonly Hook[]
  /** Named sequences of calls. */
  pipelines?: readonly PipelineSpec[]
  /** Agents that it may hand work to. */
  delegates?: readonly Delegate[]
  /** Of a child: the call that it works for, which it may report the outcome of. */
  assignment?: { action_id: string }
  /** What holds for everybody who works here; a child is told it before its own instructions. */
  setting?: string
  /** What was chosen for it to know, found missing, or warned of. */
  context?: Pick<Context, "selected" | "missing" | "warnings">
  /** What a conversation may take of the model's window before it is summed up. */
  window?: Window
  /** What files and refs that a submission names may take of it, in tokens. */
  context_tokens?: number
  /** The model that it is pinned to; where it is not replaceable, no other one answers. */
  model?: NonNullable<TaskProfile["pinned"]>
  /** How much it thinks; what is set for the model, when not said. */
  reasoning?: Reasoning
  policy: Policy
  /** One more source that judges operations. */
  classifier?: Classifier
  /** Who decides what has to be asked; a person, if not said. */
  decided_by?: "human" | "policy" | "host"
  /** Nobody is there: what has to be asked leaves the work blocked, until somebody comes and answers. */
  unattended?: boolean
  /** How long an answer is waited for; without it, for as long as the turn lasts. */
  answer_within_ms?: number
  /** Who it is when it works for another: people see whose question they answer. */
  requester?: { kind: "subagent" | "teammate"; id: string; name: string }
  workspace: Workspace
  boundary: Boundary
  /** How often the model is asked in one turn before it is stopped. */
  most_requests: number
  /** How many calls a turn may make. The state remembers 512 ended ones of a session. */
  most_calls: number
  /** How many calls of a turn run at the same time. */
  most_parallel: number
}

/** An agent that can only talk. */
export const speaker: Agent = {
  name: "main",
  instructions: "",
  protocol: false,
  tools: [],
  policy: { version: "none", mode: "ask", rules: [] },
  workspace: { cwd: "/", roots: [] },
  boundary: { profile: "read_only", network: "none" },
  most_requests: 100,
  most_calls: 384,
  most_parallel: 8,
}
