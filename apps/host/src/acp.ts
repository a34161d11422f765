import { randomUUID } from "node:crypto"
import { Readable, Writable } from "node:stream"
import {
  type AgentConnection,
  agent,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk"
import type { Client } from "@factum/client"
import { type Standing, standingOf } from "./interop/acp-standing.ts"
import { type Followed, follow, retell } from "./interop/acp-turn.ts"
import { AcpUpdates } from "./interop/acp-updates.ts"
import { version } from "./version.ts"

export type AcpStreams = { input: Readable; output: Writable }
export type AcpOptions = { newId?: () => string }
/** A host that works in the folder of the editor, or why there is none. */
export type Reach = (cwd: string) => Promise<Client | { problem: string }>

/** A session as this editor has it. Sessions exist in the log from their first turn on. */
type Session = {
  /** Where the editor said that it belongs. */
  cwd: string
  updates: AcpUpdates
  prompts: Set<Followed & { queued?: Queued }>
  /** What goes on in it although no prompt waits for it. */
  beside?: Followed
}
type Queued = { thread_id: string; queued_turn_id: string }

/** Speaks ACP with an editor until its stream ends. Turns go on without it, and a session can be loaded again. */
export async function serveAcp(streams: AcpStreams, reach: Reach, options: AcpOptions = {}): Promise<void> {
  const { newId = () => randomUUID().replaceAll("-", "") } = options
  const opened = new Map<string, Session>()
  const hostIn = async (cwd: string): Promise<Client> => {
    const host = await reach(cwd)
    if ("problem" in host) throw RequestError.invalidParams({ cwd }, host.problem)
    return host
  }
  function enter(sessionId: string, cwd: string): Session {
    opened.get(sessionId)?.beside?.leaving.abort()
    const session = { cwd, updates: new AcpUpdates(), prompts: new Set<Followed>() }
    opened.set(sessionId, session)
    return session
  }
  function known(sessionId: string): Session {
    const session = opened.get(sessionId)
    if (session === undefined) throw unknownSession(sessionId)
    return session
  }
  /** Ends with the connection. */
  function leaving(): AbortController {
    const controller = new AbortController()
    void connection.closed.then(() => controller.abort())
    return controller
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
      enter(sessionId, cwd)
      return { sessionId }
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId, cwd }, client }) => {
      const host = await hostIn(cwd)
      const { head, turns, open } = await standingOf(host, sessionId)
      if (head === 0) throw unknownSession(sessionId)
      const session = enter(sessionId, cwd)
      const { updates } = session
      await retell(host, sessionId, head, client, updates)
      const turn = turns.at(-1)
      if (turn !== undefined && opened.get(sessionId) === session) {
        const goesOn = {
          sessionId,
          turn,
          runs: new Set(turns),
          open,
          after: head,
          updates,
          leaving: leaving(),
        }
        session.beside = goesOn
        // After the answer to this request. How it ends is told with the next prompt, or by loading again.
        setImmediate(() => void follow(host, goesOn, client).catch(() => undefined))
      }
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      const session = known(sessionId)
      const text = promptText(prompt)
      const host = await hostIn(session.cwd)
      const before = await standingOf(host, sessionId)
      const { turn_id, thread_id, queued_turn_id } = await submit(host, sessionId, text, before)
      const followed = {
        ...behind(session, before),
        sessionId,
        turn: turn_id,
        leaving: leaving(),
        ...(queued_turn_id !== undefined && { queued: { thread_id, queued_turn_id } }),
      }
      followed.runs.add(turn_id)
      session.prompts.add(followed)
      signal.addEventListener("abort", () => {
        // An editor that is gone leaves its turn running; one that withdraws its request stops it.
        setImmediate(() => connection.signal.aborted || void stop(host, sessionId, session))
      })
      try {
        return { stopReason: await follow(host, followed, client) }
      } finally {
        session.prompts.delete(followed)
      }
    })
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      const session = known(sessionId)
      await stop(await hostIn(session.cwd), sessionId, session)
    })
    .connect(ndJsonStream(Writable.toWeb(streams.output), bytesOf(streams.input)))
  await connection.closed
}

/** The two libraries that describe web streams differ in words only. */
const bytesOf = (input: Readable) => Readable.toWeb(input) as ReadableStream<Uint8Array>

/** What a prompt waits for and nothing else tells of: told from where it was left, and asked again. */
function behind(session: Session, { head, turns, open }: Standing) {
  const { beside, updates, prompts } = session
  beside?.leaving.abort()
  delete session.beside
  const elsewhere = new Set([...prompts].flatMap(({ runs }) => [...runs]))
  const runs = new Set([...(beside?.runs ?? []), ...turns].filter((run) => !elsewhere.has(run)))
  return {
    runs,
    open: open.filter(({ runId }) => runId === undefined || runs.has(runId)),
    after: beside?.after ?? head,
    updates,
  }
}

async function submit(host: Client, session_id: string, text: string, { head }: Standing) {
  const begun = await host.command("submit_turn", {
    session_id,
    ...(head === 0 && { create: "session" as const }),
    input: [{ kind: "text", text }],
    source: "acp",
  })
  if (!begun.ok) throw RequestError.invalidParams(begun.refusal, begun.refusal.message)
  return begun.result
}

/** All that goes on in the session, and what this editor has in its queue. */
async function stop(host: Client, session_id: string, { prompts }: Session): Promise<void> {
  for (const { queued } of prompts)
    if (queued !== undefined) await host.command("remove_queued_turn", { session_id, ...queued })
  await host.command("interrupt_turn", { session_id, reason: "Cancelled in the editor." })
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
