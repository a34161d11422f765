import type { Envelope, RuntimeEvent } from "@factum/facts"
import type { AgentUiEvent, UiFrame } from "../../envelope.ts"
import { actionFrames } from "./action.ts"
import { artifactFrames } from "./artifact.ts"
import { carried, unlisted } from "./carrier.ts"
import { contextFrames } from "./context.ts"
import { isFields } from "./given.ts"
import { historyFrames } from "./history.ts"
import { jobFrames } from "./job.ts"
import { costFrames, routingFrames } from "./limits.ts"
import { modelFrames } from "./model.ts"
import { orchestrationFrames } from "./orchestration.ts"
import { permissionFrames } from "./permission.ts"
import type { NotShown, Translations } from "./place.ts"
import { diagnostic, processFrames } from "./process.ts"
import { isFact, refused } from "./refused.ts"
import { sessionFrames } from "./session.ts"
import { readSpelling } from "./spelling.ts"
import { taskFrames } from "./task.ts"
import { channelFrames, subagentFrames } from "./team.ts"
import { toolFrames } from "./tool.ts"
import { turnFrames } from "./turn.ts"

export { runtimePorts, type SendCommand } from "./commands.ts"
export { fromSnapshots, type RuntimePage, type RuntimeSnapshots } from "./snapshot.ts"
export { readSpelling, type Spelled } from "./spelling.ts"
export { attachment } from "./turn.ts"

/** Every class of the runtime: what a person sees of it, or why nobody does. */
export const translations: Translations<RuntimeEvent> = {
  ...sessionFrames,
  ...turnFrames,
  ...modelFrames,
  ...toolFrames,
  ...processFrames,
  ...actionFrames,
  ...permissionFrames,
  ...taskFrames,
  ...orchestrationFrames,
  ...subagentFrames,
  ...channelFrames,
  ...jobFrames,
  ...artifactFrames,
  ...contextFrames,
  ...routingFrames,
  ...costFrames,
  ...historyFrames,
}

/** The classes that nobody sees, each with the reason. */
export const notShown: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(translations).flatMap(([type, translation]) =>
    "notShown" in translation ? [[type, translation.notShown]] : [],
  ),
)

/** Whatever came as a fact, in either spelling, becomes a frame; what is none becomes a diagnostic at its place. */
export function readRuntime(value: unknown): UiFrame {
  try {
    const spelled = readSpelling(value)
    return spelled.ok ? frameOf(spelled.fact) : refused(value, spelled.reason)
  } catch {
    return refused(value, "It cannot be read.")
  }
}

/** What a fact of the runtime became. A fact that nobody sees gives an empty frame, so that it is no gap. */
export function fromRuntime(fact: Envelope): UiFrame {
  try {
    return frameOf(fact)
  } catch {
    return refused(fact, "It cannot be read.")
  }
}

function frameOf(fact: unknown): UiFrame {
  if (!isFact(fact)) return refused(fact, "It lacks what every fact has: a type, a sequence and a payload.")
  const { sequence, session_id, runtime_id } = fact
  const frame = { stream: session_id ?? runtime_id ?? "runtime", sequence, events: eventsOf(fact) }
  const range = supersededBy(fact.payload)
  return range === undefined ? frame : { ...frame, supersedes: range }
}

function eventsOf(fact: Envelope): readonly AgentUiEvent[] {
  if (!isRuntimeFact(fact)) return [carried(fact) ?? unlisted(fact)]
  return translated(fact)
}

function translated(fact: Envelope & RuntimeEvent): readonly AgentUiEvent[] {
  // The table is keyed by the type of the fact, which the compiler cannot follow through a lookup.
  const translation = translations[fact.type] as ((fact: Envelope) => readonly AgentUiEvent[]) | NotShown
  if ("notShown" in translation) return []
  try {
    return translation(fact)
  } catch {
    // Facts of a log are valid; one that was not checked on its way here is told and harms nothing.
    const message = `A fact of the class ${fact.type} does not fit its class and is not shown.`
    return [diagnostic(fact, { code: "invalid_fact", severity: "error", message })]
  }
}

const isRuntimeFact = (fact: Envelope): fact is Envelope & RuntimeEvent =>
  Object.hasOwn(translations, fact.type)

/** The final fact of a stream of chunks names the range that it replaces. */
function supersededBy(payload: Envelope["payload"]): { from: number; to: number } | undefined {
  const { supersedes } = payload
  if (!isFields(supersedes)) return undefined
  const { from, to } = supersedes
  return typeof from === "number" && typeof to === "number" ? { from, to } : undefined
}
