import { randomUUID } from "node:crypto"
import { Readable, Writable } from "node:stream"
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type StopReason,
} from "@agentclientprotocol/sdk"
import type { AgentUiEvent } from "@factum/agent-ui"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import type { Runtime } from "@factum/runtime"
import { AcpUpdates, optionsOf } from "./interop/acp-updates.ts"
import { turnEvents } from "./interop/stream.ts"
import { isSession, submit } from "./interop/thread.ts"
import { version } from "./version.ts"

export type AcpStreams = { input: Readable; output: Writable }
export type AcpOptions = { newId?: () => string }

/** Speaks ACP with an editor until its stream ends. Turns go on without it, and a session can be loaded again. */
export async function serveAcp(
  streams: AcpStreams,
  runtime: Runtime,
  options: AcpOptions = {},
): Promise<void> {
  const { newId = () => randomUUID().replaceAll("-", "") } = options
  /** Sessions exist in the log from their first turn on. */
  const opened = new Set<string>()
  const mustKnow = (session: string) => {
    if (!opened.has(session) && !isSession(runtime, session)) throw unknownSession(session)
  }

  const connection: AgentConnection = agent({ name: "factum" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
      agentInfo: { name: "factum", title: "Factum", version },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, () => {
      const sessionId = `ses_acp_${newId()}`
      opened.add(sessionId)
      return { sessionId }
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
      if (!isSession(runtime, sessionId)) throw unknownSession(sessionId)
      await retell(runtime, sessionId, client)
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      mustKnow(sessionId)
      const begun = await submit(runtime, runtime.execute, {
        session: sessionId,
        text: promptText(prompt),
        source: "acp",
      })
      if (!begun.ok) throw RequestError.invalidParams(begun.refusal, begun.refusal.message)
      const { closed } = connection
      signal.addEventListener("abort", () => {
        // An editor that is gone leaves its turn running; one that withdraws its request stops it.
        setImmediate(() => connection.signal.aborted || void stop(runtime, sessionId))
      })
      return { stopReason: await follow(runtime, begun, client, closed) }
    })
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      await stop(runtime, sessionId)
    })
    .connect(ndJsonStream(Writable.toWeb(streams.output), bytesOf(streams.input)))
  await connection.closed
}

/** The two libraries that describe web streams differ in words only. */
const bytesOf = (input: Readable) => Readable.toWeb(input) as ReadableStream<Uint8Array>

function stop(runtime: Runtime, session_id: string) {
  return runtime.execute("interrupt_turn", { input: { session_id, reason: "Cancelled in the editor." } })
}

type Place = { session: string; turn: string; after: number }

/** Tells the editor what happens in a turn, and asks it for leave, until the turn has ended. */
async function follow(
  runtime: Runtime,
  place: Place,
  client: AgentContext,
  closed: Promise<void>,
): Promise<StopReason> {
  const updates = new AcpUpdates()
  const leaving = new AbortController()
  void closed.then(() => leaving.abort())
  /** Questions under way; one that somebody else answers is withdrawn. */
  const asking = new Map<string, AbortController>()
  try {
    for await (const { events } of turnEvents(runtime, place, leaving.signal)) {
      for (const event of events) {
        await tell(client, place.session, event, updates)
        if (event.type === "action.required") begin(runtime, place.session, event, client, asking)
        if (event.type === "action.resolved") asking.get(event.actionId ?? "")?.abort()
        if (event.type === "run.finished") return event.phase === "cancelled" ? "cancelled" : "end_turn"
        if (event.type === "run.failed") throw failed(event)
      }
    }
    return "cancelled"
  } finally {
    for (const question of asking.values()) question.abort()
    leaving.abort()
  }
}

async function tell(
  client: AgentContext,
  sessionId: string,
  event: AgentUiEvent,
  updates: AcpUpdates,
): Promise<void> {
  const isOwnWord = (event.payload as { role?: string } | undefined)?.role === "user"
  if (isOwnWord) return
  for (const update of updates.of(event))
    await client.notify(methods.client.session.update, { sessionId, update })
}

/** Asks beside the stream: other calls of the turn go on meanwhile. */
function begin(
  runtime: Runtime,
  sessionId: string,
  event: AgentUiEvent,
  client: AgentContext,
  asking: Map<string, AbortController>,
): void {
  const { actionId = "", toolCallId = actionId } = event
  const withdrawn = new AbortController()
  asking.set(actionId, withdrawn)
  const title = (event.payload as { title?: string } | undefined)?.title ?? "May it go on?"
  client
    .request(
      methods.client.session.requestPermission,
      { sessionId, toolCall: { toolCallId, title }, options: optionsOf(event) },
      { cancellationSignal: withdrawn.signal },
    )
    .then(async ({ outcome }) => {
      // A dismissed question stays open: only an answer is one.
      if (outcome.outcome !== "selected") return
      const input = { action_id: actionId, session_id: sessionId, decision: outcome.optionId }
      await runtime.execute("respond_action", { input })
    })
    .catch(() => undefined)
}

/** A session that is loaded is told again from its beginning, with both voices. */
async function retell(runtime: Runtime, sessionId: string, client: AgentContext): Promise<void> {
  const updates = new AcpUpdates()
  for (let after = 0; after < runtime.log.head(sessionId); ) {
    const page = runtime.log.read(sessionId, after, 500)
    if (page.length === 0) return
    for (const { text } of page) {
      for (const event of readRuntime(JSON.parse(text)).events) {
        for (const update of updates.of(event))
          await client.notify(methods.client.session.update, { sessionId, update })
      }
    }
    after = page.at(-1)?.sequence ?? after
  }
}

function promptText(prompt: readonly ContentBlock[]): string {
  return prompt
    .map((block) => {
      if (block.type === "text") return block.text
      if (block.type === "resource_link") return `${block.name}: ${block.uri}`
      if (block.type === "resource" && "text" in block.resource)
        return `${block.resource.uri}:\n${block.resource.text}`
      throw RequestError.invalidParams(
        { type: block.type },
        `Factum takes text and resources over ACP, no ${block.type}.`,
      )
    })
    .join("\n\n")
}

const unknownSession = (session: string) =>
  RequestError.invalidParams(
    { sessionId: session },
    `There is no session ${session}; open one with session/new.`,
  )

function failed(event: AgentUiEvent): RequestError {
  const {
    message = "The turn failed.",
    category,
    next,
  } = (event.payload ?? {}) as Record<string, string | undefined>
  return RequestError.internalError({ category, next }, message)
}
