import { Id, type SessionState } from "@factum/facts"
import { z } from "zod"
import { type Actor, signed } from "./actor.ts"
import type { Agent } from "./agent.ts"
import { answer, firstAnswer, notWritten } from "./answers.ts"
import type { Cell } from "./cells.ts"
import { digestOf } from "./commands.ts"
import { type By, beginCompaction, type CompactPorts, finishCompaction } from "./context/compact.ts"
import { roomFor, summarizerOf } from "./context/summarizer.ts"
import type { Compacting } from "./control/compaction.ts"
import { rollBack } from "./control/rollback.ts"
import { misplaced } from "./control/thread-view.ts"
import { commandKey, type Draft, type Given, reject } from "./decision.ts"
import { atPoint, type PointPorts } from "./execution/hook-points.ts"
import type { Claim, FactLog } from "./ports/log.ts"
import type { Outcome } from "./runtime.ts"

const thread = { session_id: Id, thread_id: Id }

/** Commands beside the normalized ones. They write normalized facts only. */
export const ownCommands = {
  "x-factum.compact_thread": z.strictObject({
    ...thread,
    /** Without it a model sums up where one can be asked. */
    by: z.enum(["model", "extract"]).optional(),
    reason: z.string().min(1).optional(),
  }),
  "x-factum.roll_back_thread": z.strictObject({
    ...thread,
    /** The last turn that stays; null when none does. */
    turn_id: Id.nullable(),
    reason: z.string().min(1),
  }),
} as const
type OwnName = keyof typeof ownCommands
type Input<N extends OwnName> = z.infer<(typeof ownCommands)[N]>

export const isOwnCommand = (name: string): name is OwnName => Object.hasOwn(ownCommands, name)

const Body = z.strictObject({ command_id: Id.optional(), input: z.unknown() })

export type OwnPorts = CompactPorts & {
  log: FactLog
  given: Given
  agent: (state: SessionState) => Promise<Agent>
  wake: (session_id: string) => void
  onDefect: (error: unknown) => void
}

export type OwnCommands = {
  execute(name: OwnName, body: unknown, by?: Actor): Promise<Outcome>
  /** Stops what is under way and waits for its end. */
  stop(): Promise<void>
}

export function createOwnCommands(ports: OwnPorts): OwnCommands {
  const { cells, log, given, wake } = ports
  const stop = new AbortController()
  const running = new Set<Promise<unknown>>()

  async function execute(name: OwnName, body: unknown, by?: Actor): Promise<Outcome> {
    const envelope = Body.safeParse(body)
    const input = ownCommands[name].safeParse(envelope.data?.input)
    if (!envelope.success || !input.success) {
      const issue = (envelope.error ?? input.error)?.issues[0]
      const field = ["input", ...(envelope.success ? (issue?.path ?? []) : [])].map(String).join(".")
      return reject("invalid_input", `${field}: ${issue?.message ?? "not well formed"}.`, { field })
    }
    const { command_id } = envelope.data
    const digest = digestOf(name, envelope.data.input)
    const answered = () => {
      const first = command_id === undefined ? undefined : log.claimed(commandKey(command_id))
      return first === undefined ? undefined : firstAnswer(first, digest)
    }
    const forbidden =
      name === "x-factum.compact_thread" && answered() === undefined
        ? await before(input.data as Input<"x-factum.compact_thread">)
        : undefined
    return cells.inLine(input.data.session_id, (cell) => {
      const first = answered() ?? forbidden
      if (first !== undefined) return first
      const claims = (result: unknown): Claim[] =>
        command_id === undefined
          ? []
          : [{ key: commandKey(command_id), value: JSON.stringify({ digest, result }) }]
      return name === "x-factum.compact_thread"
        ? compact(input.data as Input<"x-factum.compact_thread">, cell, claims, by)
        : back(input.data as Input<"x-factum.roll_back_thread">, cell, claims, by)
    })
  }

  /** What hooks say to a compaction. They may take their time, so the session's line is not held meanwhile. */
  async function before({ session_id, thread_id }: Input<"x-factum.compact_thread">) {
    if (misplaced(given, thread_id, "thread_id", { session_id }) !== undefined) return undefined
    const passed = await hooksOn("before_compaction", session_id, thread_id)
    if (passed.kind === "go") return undefined
    if (passed.kind === "stopped") return reject("unavailable", "The runtime is stopping.")
    return reject("not_permitted", passed.message, { fix: passed.next })
  }

  async function hooksOn(
    point: "before_compaction" | "after_compaction",
    session_id: string,
    thread_id: string,
  ) {
    const { blobs, redactor, ids, clock } = ports
    const record: PointPorts["record"] = async (facts) => {
      const done = await cells.inLine(session_id, (cell) =>
        // The type and the payload of a fact stay together, which a spread of a union does not show.
        cells.commit(
          cell,
          facts.map((fact) => ({ ...fact, session_id, thread_id }) as Draft),
        ),
      )
      return done.ok
    }
    const agent = await ports.agent(cells.peek(session_id))
    const now = () => clock.now()
    const at = { agent, ids, now, blobs, redactor, signal: stop.signal, record }
    return atPoint(at, { point, subject: thread_id, input: { thread_id } })
  }

  async function back(
    { turn_id, ...input }: Input<"x-factum.roll_back_thread">,
    cell: Cell,
    claims: (result: unknown) => Claim[],
    by: Actor | undefined,
  ): Promise<Outcome> {
    const command = turn_id === null ? input : { ...input, turn_id }
    const decision = rollBack(command, cell.state, given, cells.peek)
    if (!decision.ok) return answer(decision)
    const done = await cells.commit(cell, signed(decision.facts, by), claims(decision.result))
    return done.ok ? { ok: true, result: decision.result } : notWritten(done)
  }

  async function compact(
    { thread_id, by: wanted, reason }: Input<"x-factum.compact_thread">,
    cell: Cell,
    claims: (result: unknown) => Claim[],
    by: Actor | undefined,
  ): Promise<Outcome> {
    const { session_id } = cell
    const wrong = misplaced(given, thread_id, "thread_id", { session_id })
    if (wrong !== undefined) return answer(wrong)
    const agent = await ports.agent(cell.state)
    const offer = summarizerOf(ports.offers, agent)
    if (wanted === "model" && offer === undefined)
      return reject("unavailable", "No model can be asked now.", {
        fix: "Say by: extract, which needs none.",
      })
    const resultOf = ({ compaction_id, range: { from, to } }: Compacting) => ({
      status: "started" as const,
      compaction_id,
      from,
      to,
    })
    const cause = reason ?? "It was asked for."
    const begun = await beginCompaction(
      ports,
      cell,
      thread_id,
      { cause, keep: 0, settled: false },
      { claims: (work) => claims(resultOf(work)), by },
    )
    if (begun.kind === "unwritten")
      return notWritten({ ok: false, code: "write_failed", reason: begun.reason })
    if (begun.kind === "busy")
      return reject("wrong_state", "The thread is being summed up already.", { state: "compacting" })
    if (begun.kind === "nothing")
      return reject("wrong_state", "There is nothing that could be summed up.", { state: "compact" })
    const way: By =
      wanted === "extract" || offer === undefined ? { kind: "extract" } : { kind: "model", offer }
    const { room } = roomFor(ports.offers, agent)
    const work = finishCompaction(ports, { session_id }, begun.work, way, room, stop.signal)
      .then(async (made) => void (made.ok && (await hooksOn("after_compaction", session_id, thread_id))))
      .catch(ports.onDefect)
      .finally(() => {
        running.delete(work)
        wake(session_id)
      })
    running.add(work)
    return { ok: true, result: resultOf(begun.work) }
  }

  return {
    execute,
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
