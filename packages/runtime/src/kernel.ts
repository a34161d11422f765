import type { Envelope, SessionState } from "@factum/facts"
import { Processes } from "./adapters/processes/index.ts"
import { type Advancing, createAdvancing } from "./advance.ts"
import { type Agent, speaker, type World } from "./agent.ts"
import { artifactListener } from "./artifact-facts.ts"
import { type Cells, createCells } from "./cells.ts"
import { createChannels } from "./channels.ts"
import type { CallScope } from "./control/calls.ts"
import { createCredentials } from "./credentials.ts"
import { type Given, type Place, placeKey } from "./decision.ts"
import { createDelegation } from "./delegation/delegation.ts"
import { sessionIn } from "./delegation/link.ts"
import { workers } from "./delegation/workers.ts"
import { createExecute } from "./execute.ts"
import { inCall, placesOf } from "./execution/call-facts.ts"
import type { Tracer } from "./journal.ts"
import { createOwnCommands, isOwnCommand } from "./own-commands.ts"
import type { ArtifactPort } from "./ports/artifact.ts"
import { type Clock, type Ids, systemClock, systemIds } from "./ports/clock.ts"
import type { BlobStore, FactLog } from "./ports/log.ts"
import type { Model } from "./ports/model.ts"
import type { ToolFact } from "./ports/tool.ts"
import { presentLog } from "./present-log.ts"
import { readModel } from "./read-models.ts"
import { openingOf } from "./reads.ts"
import { createRecall } from "./recall.ts"
import { createRedactor } from "./redact.ts"
import { reporter } from "./reports.ts"
import { keepRetention } from "./retention.ts"
import {
  createLedger,
  type Offer,
  offerOf,
  type Patience,
  patience,
  type ScopedLimit,
} from "./routing/index.ts"
import type { Runtime } from "./runtime.ts"
import { createSandbox, type Sandbox } from "./sandbox/sandbox.ts"
import { misfit } from "./schema.ts"
import { sessionList } from "./session-list.ts"

export type RuntimeParts = {
  store: { log: FactLog; blobs: BlobStore; runtime_id: string }
  model: Model
  /** All that may answer, best first, with what is known of them; without it, `model` alone. */
  models?: readonly Offer[]
  /** What may be used up, asked for before every request. */
  limits?: () => readonly ScopedLimit[]
  /** How often and how long a failed request is tried again. */
  patience?: Patience
  /**
   * Who works in a turn of this session, or in one of its children; asked for when it begins or goes on. Without it, an
   * agent that can only talk.
   */
  agent?: (world: World, session_id: string) => Agent | Promise<Agent>
  /** What confines processes; without it none is started. */
  sandbox?: Sandbox
  /** The owner of artifacts; without it there are none. Closed with the runtime. */
  artifacts?: ArtifactPort
  clock?: Clock
  ids?: Ids
  /** Telemetry, where it is on: facts then carry its ids. */
  tracer?: Tracer
  /** Values that never reach a fact, by the name that stands in their place. */
  secrets?: Readonly<Record<string, string>>
  /** Where the sessions that are created belong, for example the folder that agents work in. */
  workspace?: string
  /** Told of defects of the runtime itself. */
  onDefect?: (error: unknown) => void
}

/** decide → append → owed → perform. */
export async function createRuntime(parts: RuntimeParts): Promise<Runtime> {
  const { store, agent = () => speaker, clock = systemClock, onDefect = console.error } = parts
  const { blobs, runtime_id } = store
  const log = presentLog(store.log)
  const { artifacts } = parts
  const ids = parts.ids ?? systemIds(clock)
  const redactor = createRedactor(parts.secrets)
  const credentials = createCredentials(redactor)
  const cells = createCells({ log, clock, ids, redactor, runtime_id, tracer: parts.tracer })
  const moved = new Map<string, number>()
  const came = new Map<string, number>()
  const given: Given = {
    id: (kind) => ids.next(kind),
    place: (id) => placeOf(log, id),
    mask: (text) => redactor.text(text).value,
    now: () => clock.now(),
    credential: (uri) => credentials.find(uri),
    kept: (digest) => blobs.get(digest, { from: 0, to: 0 }) !== undefined,
    factsAfter: (session_id, after, limit) =>
      log.read(session_id, after, limit).map(({ text }) => JSON.parse(text) as Envelope),
    acknowledged: (channel_id) => moved.get(channel_id),
    workspace: parts.workspace,
    fits: misfit,
  }
  const incidents = incidentReport(log, cells, runtime_id)
  const sandbox = parts.sandbox ?? createSandbox({ ok: false, reason: "no sandbox was opened" })
  const processes = new Processes({ sandbox, blobs, clock, ids, redactor })
  const afterTurn: World["afterTurn"] = (run) => (facts) => recordLater(cells, run, facts)
  const world: World = { processes, blobs, clock, ids, redactor, afterTurn, ...(artifacts && { artifacts }) }
  const routing = {
    offers: parts.models ?? [offerOf(parts.model)],
    limits: parts.limits ?? (() => []),
    patience: parts.patience ?? patience,
    ledger: createLedger(log),
  }
  const compacting = new Set<string>()
  const recall = createRecall(log)
  const delegation = createDelegation({ cells, log, wake: (session_id) => advancing.wake(session_id) })
  const worker = workers({ world, agent, cells, delegation })
  // A child whose work was withdrawn is judged as the one who would have given it.
  const judged = async (state: SessionState) => (await worker(state)) ?? agent(world, sessionIn(state))
  const turns = { ...world, ...routing, cells, credentials, delegation, compacting, recall, agent: worker }
  const advancing: Advancing = createAdvancing(turns, onDefect)
  const wake = (session_id: string) => {
    advancing.wake(session_id)
    incidents().catch(onDefect)
  }

  const own = createOwnCommands({ ...turns, agent: judged, log, given, wake, onDefect })
  const { execute, commands } = createExecute({
    ...{ cells, log, given, runtime_id, wake, processes, moved, came, blobs, ids, redactor, credentials },
    agent: judged,
  })

  await incidents()
  await artifacts?.listen(artifactListener({ cells, log, given, wake }))
  const retention = keepRetention(log)
  for (const session_id of log.owing()) advancing.wake(session_id)

  return {
    runtime_id,
    log,
    blobs,
    ...(artifacts && { artifacts }),
    credentials,
    commands,
    execute: (name, body, by) => (isOwnCommand(name) ? own.execute(name, body, by) : execute(name, body, by)),
    sessions: sessionList(log, cells.peek, runtime_id),
    snapshot: (name, of) => readModel(name, of, cells.peek(of.session_id), given),
    opening: (of) => openingOf(of, cells.peek(of.session_id), log),
    sessionsOf: (id) => sessionsAt(placeOf(log, id)),
    workspaceOf: (session_id) => firstWorkspace(log, session_id),
    channels: createChannels({ cells, log, given, moved, came, wake }),
    report: reporter(cells, runtime_id),
    async close() {
      retention.stop()
      await Promise.all([advancing.stop(), own.stop()])
      await processes.close()
      artifacts?.close()
      await cells.settle()
      await log.close()
    },
  }
}

async function recordLater(cells: Cells, run: CallScope, facts: readonly ToolFact[]): Promise<boolean> {
  const done = await cells.inLine(run.session_id, (cell) =>
    cells.commit(
      cell,
      facts.map((fact) => inCall(fact, run)),
      placesOf(facts, run),
    ),
  )
  return done.ok
}

function placeOf(log: FactLog, id: string): Place | undefined {
  const text = log.claimed(placeKey(id))
  return text === undefined ? undefined : (JSON.parse(text) as Place)
}

function sessionsAt(place: Place | undefined): readonly string[] {
  if (place === undefined) return []
  const { session_id, parent_session_id } = place
  return parent_session_id === undefined ? [session_id] : [session_id, parent_session_id]
}

/** As the first fact of the session says, which is in the log before anybody can ask. */
function firstWorkspace(log: FactLog, session_id: string): string | undefined {
  const text = log.read(session_id, 0, 1)[0]?.text
  const first = text === undefined ? undefined : (JSON.parse(text) as Partial<Envelope>)
  const metadata = first?.type === "session.created" ? first.payload?.metadata : undefined
  const workspace = metadata === undefined ? undefined : Reflect.get(Object(metadata), "workspace")
  return typeof workspace === "string" ? workspace : undefined
}

/** What the store met, on opening and later, becomes facts in the runtime's own stream, each once. */
function incidentReport(log: FactLog, cells: Cells, runtime_id: string): () => Promise<void> {
  let reported = 0
  return async () => {
    const fresh = log.incidents.slice(reported)
    if (fresh.length === 0) return
    reported += fresh.length
    const affected = [{ kind: "runtime", id: runtime_id }]
    await cells.inLine(runtime_id, (cell) =>
      cells.commit(
        cell,
        fresh.map(({ code, detail }) => ({
          type: "runtime.warning",
          runtime_id,
          payload: { code, message: detail, affected },
        })),
      ),
    )
  }
}
