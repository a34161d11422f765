import { setTimeout as delay } from "node:timers/promises"
import { masked } from "../../outputs/spill.ts"
import { head, textOf } from "../../outputs/text.ts"
import type { Clock, Ids } from "../../ports/clock.ts"
import type { BlobStore } from "../../ports/log.ts"
import type { Boundary, ToolFact, Workspace } from "../../ports/tool.ts"
import type { Redactor } from "../../redact.ts"
import { type Applied, type Confinement, type Sandbox, sandboxApplied } from "../../sandbox/sandbox.ts"
import { findProgram, launch } from "./child.ts"
import { type Ending, type ProcessEnd, spawnFailed } from "./ended.ts"
import { childEnvironment } from "./environment.ts"
import { marker, startTime } from "./identity.ts"
import { type OutputLimits, OutputRecorder, outputLimits, type RecordFacts } from "./recorder.ts"
import { RunningProcess } from "./running.ts"
import {
  isOf,
  type Listed,
  notFound,
  type ProcessOwner,
  type ProcessSpec,
  type Started,
  type Terminated,
  type Written,
  wrongState,
} from "./spec.ts"

export type ProcessDeps = {
  sandbox: Sandbox
  blobs: BlobStore
  clock: Clock
  ids: Ids
  redactor?: Redactor
  /** What every process gets; if not said, the runtime's own variables without its secrets. */
  env?: Readonly<Record<string, string>>
  /** How long a process may take to end by itself when it is asked to. */
  grace_ms?: number
  /** How long a writer waits for a process that does not read. */
  input_ms?: number
  limits?: Partial<OutputLimits>
}
type Entry = { spec: ProcessSpec; running: RunningProcess; record: RecordFacts; unread?: boolean }

const endsRemembered = 256
const inputPreview = 512

/** The processes of this runtime. Each has an owner and is ended with it, or was declared to outlive its turn. */
export class Processes {
  readonly #deps: ProcessDeps
  readonly #entries = new Map<string, Entry>()
  readonly #ends = new Map<string, ProcessEnd>()

  constructor(deps: ProcessDeps) {
    this.#deps = deps
  }

  /** What would be in force for such a process, before anything runs. */
  confine(boundary: Boundary, where: Workspace): Confinement {
    return this.#deps.sandbox.confine(boundary, where)
  }

  async start(spec: ProcessSpec): Promise<Started> {
    const process_id = this.#deps.ids.next("process")
    const confinement = this.confine(spec.boundary, spec)
    const { applied } = confinement
    const recorded = await spec.record([sandboxApplied(applied, process_id)])
    if (!confinement.ok) {
      return { ok: false, process_id, code: "boundary_unavailable", message: confinement.reason, applied }
    }
    if (!recorded) return callOver(process_id)
    return this.#spawn(spec, process_id, confinement)
  }

  /**
   * Answers after the bytes were accepted and that was recorded. One that does not read is not waited for longer than
   * its time: the bytes stay before it, and that they were taken is told when they are.
   */
  async write(process_id: string, bytes: Uint8Array, close = false, signal?: AbortSignal): Promise<Written> {
    const entry = this.#entries.get(process_id)
    if (entry === undefined && !this.#ends.has(process_id)) return notFound(process_id)
    if (entry === undefined || entry.running.over) return wrongState("The process has ended.")
    if (entry.running.stdin === "closed") return wrongState("Its stdin is closed.")
    if (entry.unread) return wrongState("It has not read what was written to it before.")
    const taken = entry.running.write(bytes, close).then(async (accepted) => {
      entry.unread = false
      if (accepted) await entry.record(this.#input(process_id, bytes, close))
      return accepted
    })
    const done = await inTime(taken, this.#deps.input_ms ?? 5_000, signal)
    if (done === "late") {
      entry.unread = true
      return unread("It has not read all of its input; the rest stays before it.")
    }
    return done ? { ok: true, bytes: bytes.byteLength } : wrongState("The process no longer takes input.")
  }

  /** Ends the whole group and answers after its exit is proven; an ended process answers with its known end. */
  async terminate(process_id: string, ending: Ending): Promise<Terminated> {
    const known = this.#ends.get(process_id)
    if (known !== undefined) return { ok: true, outcome: "no_op", end: known }
    const entry = this.#entries.get(process_id)
    if (entry === undefined) return notFound(process_id)
    const end = await entry.running.terminate(ending)
    return { ok: true, outcome: end.status === "terminated" ? "terminated" : "no_op", end }
  }

  /** The processes that run. */
  list(wanted: Partial<ProcessOwner> = {}): readonly Listed[] {
    return [...this.#entries]
      .filter(([, { spec }]) => isOf(spec.owner, wanted))
      .map(([process_id, { spec, running }]) => ({
        ...spec.owner,
        process_id,
        command: spec.command,
        long_lived: spec.long_lived ?? false,
        stdin: running.stdin,
      }))
  }

  /** Ends the processes of a turn that were not declared to outlive it. */
  endTurn(turn: { session_id: string; turn_id: string }): Promise<readonly ProcessEnd[]> {
    const bound = [...this.#entries.values()].filter(({ spec }) => !spec.long_lived && isOf(spec.owner, turn))
    return endAll(bound, "Its turn is over.")
  }

  /** Ends all of them. */
  async close(reason = "The runtime stops."): Promise<void> {
    await endAll([...this.#entries.values()], reason)
  }

  async #spawn(spec: ProcessSpec, process_id: string, confinement: Confined): Promise<Started> {
    const { cwd, roots, boundary, observe, tty = false, time_limit_ms } = spec
    const stdin = tty === false ? (spec.stdin ?? "closed") : "open"
    const inherited = this.#deps.env ?? childEnvironment(process.env)
    const env: Record<string, string> = { ...inherited, ...spec.env, [marker]: process_id }
    const [name = ""] = spec.command
    if (findProgram(name, cwd, env.PATH) === undefined) {
      return notSpawned(spec, process_id, `${name} is no program that can be run.`)
    }
    const record = inOrder(spec.record, () => {
      void running.terminate({ reason: "Its call is over.", by: "runtime" })
    })
    const { clock, grace_ms = 2_000 } = this.#deps
    const { wrapped, applied } = confinement
    const where = { cwd, roots }
    const running = new RunningProcess({
      process_id,
      record,
      clock,
      grace_ms,
      boundary,
      where,
      wrapped,
      observe,
    })
    const command = confinement.wrap(spec.command)
    const child = await launch({ command, cwd, env, tty, stdin }, running.events)
    if ("failed" in child) return notSpawned(spec, process_id, child.failed)

    const started_at = startTime(child.pid)
    const os = started_at === undefined ? undefined : { pid: child.pid, started_at }
    const { blobs, redactor, limits } = this.#deps
    const { pause, resume } = child
    const output = {
      process_id,
      record,
      blobs,
      redactor,
      limits: { ...outputLimits, ...limits },
      pause,
      resume,
    }
    // Asked for before anything else can be, so this is the first of its facts.
    const known = record([startedFact(spec, process_id, applied, os, stdin)])
    running.run(child, new OutputRecorder(output), stdin, time_limit_ms)
    this.#keep(process_id, { spec, running, record })
    if (!(await known)) {
      await running.ended
      return callOver(process_id)
    }
    return { ok: true, process_id, os, ended: running.ended }
  }

  #keep(process_id: string, entry: Entry): void {
    this.#entries.set(process_id, entry)
    const forget = () => this.#entries.delete(process_id)
    entry.running.ended.then((end) => {
      forget()
      this.#ends.set(process_id, end)
      const [oldest] = this.#ends.keys()
      if (this.#ends.size > endsRemembered && oldest !== undefined) this.#ends.delete(oldest)
    }, forget)
  }

  #input(process_id: string, bytes: Uint8Array, closes: boolean): readonly ToolFact[] {
    const safe = masked(bytes, { ...this.#deps, where: "input" })
    const text = textOf(safe.bytes)
    const shown = text === undefined ? `[${bytes.byteLength} bytes]` : head(text, inputPreview)
    const preview = { text: shown, whole: shown === text }
    const fact = { process_id, bytes: bytes.byteLength, preview, closes }
    return [...safe.facts, { type: "process.input", payload: fact }]
  }
}

const unread = (message: string): Written => ({ ok: false, code: "unread", message })

async function inTime<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | "late"> {
  const over = new AbortController()
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  const late = delay(ms, "late" as const, { signal: stop, ref: false }).catch(() => "late" as const)
  return Promise.race([work, late]).finally(() => over.abort())
}

type Confined = Extract<Confinement, { ok: true }>

function startedFact(
  { command, cwd, tty, long_lived = false, time_limit_ms, env }: ProcessSpec,
  process_id: string,
  { profile, network }: Applied,
  os: { pid: number; started_at: string } | undefined,
  stdin: "open" | "closed",
): ToolFact {
  const told = {
    process_id,
    command: [...command],
    cwd,
    sandbox_profile: profile,
    network,
    stdin,
    long_lived,
  }
  return {
    type: "process.started",
    payload: {
      ...told,
      tty: tty !== undefined,
      ...(env === undefined ? {} : { env_refs: Object.keys(env) }),
      ...(os === undefined ? {} : { os }),
      ...(time_limit_ms === undefined ? {} : { time_limit_ms }),
    },
  }
}

async function notSpawned(spec: ProcessSpec, process_id: string, message: string): Promise<Started> {
  await spec.record([spawnFailed(process_id, message)])
  return { ok: false, process_id, code: "spawn_error", message }
}

const callOver = (process_id: string): Started => ({
  ok: false,
  process_id,
  code: "call_over",
  message: "The call is over; nothing may happen for it any more.",
})

/** One write after the other, so that facts stand in the order in which they were told. */
function inOrder(record: RecordFacts, refused: () => void): RecordFacts {
  let last: Promise<unknown> = Promise.resolve()
  return (facts) => {
    const next = last.then(() => record(facts))
    last = next.catch(() => {})
    return next.then((accepted) => {
      if (!accepted) refused()
      return accepted
    })
  }
}

const endAll = (entries: readonly Entry[], reason: string): Promise<readonly ProcessEnd[]> =>
  Promise.all(entries.map(({ running }) => running.terminate({ reason, by: "runtime" })))
