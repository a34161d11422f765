import { isEventClass, missingId, normalize } from "@factum/agent-ui"
import type { EventLine } from "./read.ts"
import type { Fault, Seen } from "./report.ts"
import { exercised, fault, of, type Shown } from "./shown.ts"
import { apartNotifications, followsFacts, lineage, namedRequesters, toldTopology } from "./team.ts"

export type Check = { rule: string; title: string; look: (shown: Shown) => Seen }

const onlyOnScreen = (): Seen => ({ why: "only a screen shows it" })
/** Short words occur anywhere; only a longer passage shows that something was copied. */
const isCopied = (answers: readonly string[], text: unknown): boolean =>
  typeof text === "string" &&
  text.trim().length >= 32 &&
  answers.some((answer) => answer.includes(text.trim()))

export const checks: readonly Check[] = [
  { rule: "UI-CHECK-1", title: "The listener is bound before submit", look: onlyOnScreen },
  { rule: "UI-CHECK-2", title: "Status comes before the first text", look: statusFirst },
  { rule: "UI-CHECK-3", title: "Parts can stand in event order", look: orderedParts },
  { rule: "UI-CHECK-4", title: "Running process stays visible, then folds", look: onlyOnScreen },
  { rule: "UI-CHECK-5", title: "The final answer appears once", look: answeredOnce },
  {
    rule: "UI-CHECK-6",
    title: "Tool text is not in the answer",
    look: (all) =>
      apart(
        all,
        of(all, "tool.started", "tool.args", "tool.result", "tool.failed", "tool.output.delta"),
        toolText,
      ),
  },
  { rule: "UI-CHECK-7", title: "Actions keep their ids", look: stableActions },
  { rule: "UI-CHECK-8", title: "Queue and steer differ", look: steerIsNoQueue },
  {
    rule: "UI-CHECK-9",
    title: "Artifact bodies are not in the transcript",
    look: (all) =>
      apart(
        all,
        all.events.filter(({ event }) => event.type.startsWith("artifact.")),
        artifactText,
      ),
  },
  { rule: "UI-CHECK-10", title: "Evidence links lead to evidence", look: linkedEvidence },
  { rule: "UI-CHECK-11", title: "Teammates and tasks follow facts", look: followsFacts },
  { rule: "UI-CHECK-12", title: "The topology is told", look: toldTopology },
  { rule: "UI-CHECK-13", title: "Notifications are no user messages", look: apartNotifications },
  { rule: "UI-CHECK-14", title: "Lineage is kept", look: lineage },
  { rule: "UI-CHECK-15", title: "Delegated approvals name who asked", look: namedRequesters },
  { rule: "UI-CHECK-16", title: "Compaction is a boundary", look: boundaries },
  { rule: "UI-CHECK-17", title: "Facts have the ids that they need", look: attached },
  { rule: "UI-CHECK-18", title: "Hydration goes step by step", look: steps },
  {
    rule: "UI-CHECK-19",
    title: "Diagnostics stay out of the answer",
    look: (all) => apart(all, of(all, "diagnostic.changed"), ({ message }) => [message]),
  },
]

function statusFirst(all: Shown): Seen {
  const texts = of(all, "text.delta", "text.final").filter(
    ({ event }) => event.runId !== undefined && event.payload?.role === "assistant",
  )
  const first = new Map(texts.toReversed().map((one) => [one.event.runId, one]))
  const told = of(all, "run.status", "run.started")
  const silent = [...first].filter(
    ([runId, { line }]) => !told.some((one) => one.event.runId === runId && one.line < line),
  )
  return exercised(
    first.size,
    silent.map(([, one]) => fault(one, "Text came before any status of its run.")),
  )
}

function orderedParts(all: Shown): Seen {
  const parts = of(all, "text.delta", "text.final", "reasoning.delta", "reasoning.summary")
  return exercised(
    parts.length,
    parts
      .filter(({ event }) => event.partId === undefined)
      .map((one) => fault(one, "The part has no partId.")),
  )
}

function answeredOnce(all: Shown): Seen {
  const finals = of(all, "text.final").filter(({ event }) => event.payload?.role !== "user")
  const seen = new Map<string, EventLine>()
  const twice = finals.filter((one) => {
    const key = `${one.event.messageId} ${one.event.payload?.text}`
    const before = seen.get(key)
    seen.set(key, one)
    return (
      before !== undefined &&
      before.event.partId !== one.event.partId &&
      String(one.event.payload?.text).length >= 16
    )
  })
  return exercised(
    finals.length,
    twice.map((one) => fault(one, "The same text is final in two parts of one message.")),
  )
}

function toolText(payload: Readonly<Record<string, unknown>>): unknown[] {
  const { input, preview, delta, message } = payload
  return [textIn(input), textIn(preview), delta, message]
}
const artifactText = (payload: Readonly<Record<string, unknown>>): unknown[] => [
  textIn(payload.preview),
  payload.body,
  payload.content,
]
const textIn = (of: unknown): unknown =>
  typeof of === "object" && of !== null && "text" in of ? of.text : undefined

function apart(
  all: Shown,
  lines: readonly EventLine[],
  textsOf: (payload: Readonly<Record<string, unknown>>) => unknown[],
): Seen {
  const copied = lines.filter(({ event }) =>
    textsOf(event.payload ?? {}).some((text) => isCopied(all.answers, text)),
  )
  return exercised(
    lines.length,
    copied.map((one) => fault(one, "Its text occurs in the answer.")),
  )
}

function stableActions(all: Shown): Seen {
  const resolved = of(all, "action.resolved")
  const asked = new Set(of(all, "action.required").map(({ event }) => event.actionId))
  const strays = resolved.filter(({ event }) => !asked.has(event.actionId))
  return exercised(
    resolved.length + asked.size,
    strays.map((one) => fault(one, `Nobody asked ${one.event.actionId ?? "an action without an id"}.`)),
  )
}

function steerIsNoQueue(all: Shown): Seen {
  const changes = of(all, "queue.changed")
  const mixed = changes.filter(({ event }) => {
    const { steer, turns } = event.payload ?? {}
    const text = textIn(steer)
    return text !== undefined && JSON.stringify(turns ?? []).includes(JSON.stringify(text))
  })
  return exercised(
    changes.length,
    mixed.map((one) => fault(one, "Input for the active run stands in the queue too.")),
  )
}

function linkedEvidence(all: Shown): Seen {
  const links = all.events.flatMap((one) => {
    const refs = one.event.payload?.evidenceRefs
    return Array.isArray(refs) ? refs.map((ref) => ({ one, ref: String(ref) })) : []
  })
  const broken = links.filter(({ ref }) => !all.state.evidence.has(ref))
  return exercised(
    links.length + all.state.evidence.size,
    broken.map(({ one, ref }) => fault(one, `No evidence ${ref} was reported.`)),
  )
}

function boundaries(all: Shown): Seen {
  const started = of(all, "context.compaction.started")
  const ended = of(all, "context.compaction.completed")
  const opened = new Set(started.map(({ event }) => event.payload?.boundaryId))
  const strays = ended.filter(({ event }) => !opened.has(event.payload?.boundaryId))
  return exercised(
    started.length + ended.length,
    strays.map((one) => fault(one, "The boundary ended and never began.")),
  )
}

function attached(all: Shown): Seen {
  return exercised(
    all.events.length,
    all.events.flatMap((one): Fault[] => {
      // As the projection sees it: an id of a wrong kind is none.
      const { event } = normalize(one.event)
      const missing = event && isEventClass(event.type) ? missingId(event.type, event) : undefined
      const reason = `An event of this class needs ${missing}; it was attached to nothing.`
      return missing === undefined ? [] : [fault(one, reason)]
    }),
  )
}

function steps(all: Shown): Seen {
  const hydrated = of(all, "session.hydrated")
  const reached = new Map<string, number>()
  const early = hydrated.filter(({ event }) => {
    const session = String(event.sessionId)
    const step = Number(event.payload?.step ?? 0)
    const before = reached.get(session) ?? 0
    reached.set(session, Math.max(before, step))
    return step > before + 1
  })
  return exercised(
    hydrated.length,
    early.map((one) => fault(one, "A step of hydration came before the one before it.")),
  )
}
