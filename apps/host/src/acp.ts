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
import type { Client } from "@factum/client"
import { factsAfter, HostGone } from "./interop/acp-facts.ts"
import { AcpUpdates, optionsOf } from "./interop/acp-updates.ts"
import { version } from "./version.ts"

export type AcpStreams = { input: Readable; output: Writable }
export type AcpOptions = { newId?: () => string }
/** A host that works in the folder of the editor, or why there is none. */
export type Reach = (cwd: string) => Promise<Client | { problem: string }>

/** Speaks ACP with an editor until its stream ends. Turns go on without it, and a session can be loaded again. */
export async function serveAcp(streams: AcpStreams, reach: Reach, options: AcpOptions = {}): Promise<void> {
  const { newId = () => randomUUID().replaceAll("-", "") } = options
  /** Where the editor said that a session belongs. Sessions exist in the log from their first turn on. */
  const opened = new Map<string, string>()
  const hostIn = async (cwd: string): Promise<Client> => {
    const host = await reach(cwd)
    if ("problem" in host) throw RequestError.invalidParams({ cwd }, host.problem)
    return host
  }
  const hostOf = (session: string): Promise<Client> => {
    const cwd = opened.get(session)
    if (cwd === undefined) throw unknownSession(session)
    return hostIn(cwd)
  }

  const connection: AgentConnection = agent({ name: "factum" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
      agentInfo: { name: "factum", title: "Factum", version },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params: { cwd } }) => {
      await hostIn(cwd)
      const sessionId = `ses_acp_${newId()}`
      opened.set(sessionId, cwd)
      return { sessionId }
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId, cwd }, client }) => {
      const host = await hostIn(cwd)
      const head = await headOf(host, sessionId)
      if (head === 0) throw unknownSession(sessionId)
      opened.set(sessionId, cwd)
      await retell(host, sessionId, head, client)
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      const host = await hostOf(sessionId)
      const place = await submit(host, sessionId, promptText(prompt))
      const { closed } = connection
      signal.addEventListener("abort", () => {
        // An editor that is gone leaves its turn running; one that withdraws its request stops it.
        setImmediate(() => connection.signal.aborted || void stop(host, sessionId))
      })
      return { stopReason: await follow(host, place, client, closed) }
    })
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      await stop(await hostOf(sessionId), sessionId)
    })
    .connect(ndJsonStream(Writable.toWeb(streams.output), bytesOf(streams.input)))
  await connection.closed
}

/** The two libraries that describe web streams differ in words only. */
const bytesOf = (input: Readable) => Readable.toWeb(input) as ReadableStream<Uint8Array>

/** The newest fact of a session; zero when there is no such session. */
async function headOf(host: Client, session_id: string): Promise<number> {
  const read = await host.command("get_session", { session_id, limit: 1 })
  if (read.ok) return read.result.snapshot.sequence
  if (read.refusal.code === "not_found") return 0
  throw RequestError.internalError({ code: read.refusal.code }, read.refusal.message)
}

async function submit(host: Client, session_id: string, text: string): Promise<Place> {
  const after = await headOf(host, session_id)
  const begun = await host.command("submit_turn", {
    session_id,
    ...(after === 0 && { create: "session" as const }),
    input: [{ kind: "text", text }],
    source: "acp",
  })
  if (!begun.ok) throw RequestError.invalidParams(begun.refusal, begun.refusal.message)
  return { session: session_id, turn: begun.result.turn_id, after }
}

function stop(host: Client, session_id: string) {
  return host.command("interrupt_turn", { session_id, reason: "Cancelled in the editor." })
}

type Place = { session: string; turn: string; after: number }

/** Tells the editor what happens in a turn, and asks it for leave, until the turn has ended. */
async function follow(
  host: Client,
  { session, turn, after }: Place,
  client: AgentContext,
  closed: Promise<void>,
): Promise<StopReason> {
  const updates = new AcpUpdates()
  const leaving = new AbortController()
  void closed.then(() => leaving.abort())
  /** Questions under way; one that somebody else answers is withdrawn. */
  const asking = new Map<string, AbortController>()
  try {
    for await (const fact of factsAfter(host, session, after, leaving.signal)) {
      for (const event of readRuntime(fact).events) {
        if (event.runId !== turn && event.runId !== undefined) continue
        await tell(client, session, event, updates)
        if (event.type === "action.required") begin(host, session, event, client, asking)
        if (event.type === "action.resolved") asking.get(event.actionId ?? "")?.abort()
        if (event.type === "run.finished") return event.phase === "cancelled" ? "cancelled" : "end_turn"
        if (event.type === "run.failed") throw failed(event)
      }
    }
    return "cancelled"
  } catch (error) {
    if (error instanceof HostGone) throw RequestError.internalError({}, error.message)
    throw error
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
  host: Client,
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
      const decision = outcome.optionId
      await host.command("respond_action", { action_id: actionId, session_id: sessionId, decision })
    })
    .catch(() => undefined)
}

/** A session that is loaded is told again from its beginning, with both voices. */
async function retell(host: Client, sessionId: string, head: number, client: AgentContext): Promise<void> {
  const updates = new AcpUpdates()
  const leaving = new AbortController()
  try {
    for await (const fact of factsAfter(host, sessionId, 0, leaving.signal)) {
      for (const update of readRuntime(fact).events.flatMap((event) => updates.of(event)))
        await client.notify(methods.client.session.update, { sessionId, update })
      if (fact.sequence >= head) return
    }
  } catch (error) {
    if (error instanceof HostGone) throw RequestError.internalError({}, error.message)
    throw error
  } finally {
    leaving.abort()
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
