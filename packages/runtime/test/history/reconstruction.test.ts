import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Envelope, pendingRequests, sessionSnapshot } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts"
import { createCells } from "../../src/cells.ts"
import { historyFacts } from "../../src/history.ts"
import { restore } from "../../src/journal.ts"
import { systemClock, systemIds } from "../../src/ports/clock.ts"
import { createRedactor } from "../../src/redact.ts"
import {
  done,
  echoModel,
  ends,
  facts,
  handModel,
  openRuntime,
  submit,
  temporaryDirectory,
  until,
} from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of } from "../loop/given.ts"

const histories = (all: readonly Envelope[]) =>
  all.filter(({ type }) => type.startsWith("history.") || type === "snapshot.repaired")

/** The thread rests: nothing more is written by itself. */
const isIdle = (all: readonly Envelope[]): boolean =>
  of(all, "thread.updated").at(-1)?.payload.status === "idle"

describe("a session that was not in memory", () => {
  test("[RT-EVT-30] open work that goes on after a restart: the window loaded and the rebuild are facts", async () => {
    const write = fakeTool("write")
    const { model } = linesModel([{ calls: [{ id: "c", tool: "write" }] }])
    const before = await openRuntime(model, { agent: agentWith([write], asking) })
    const { session_id } = await submit(before.runtime, "Write")
    await until(before.runtime, session_id, ends("action.required"))
    const head = before.runtime.log.head(session_id)
    await before.runtime.close()
    const { runtime } = await openRuntime(linesModel([]).model, {
      directory: before.directory,
      agent: agentWith([write], asking),
    })
    const all = await until(runtime, session_id, ends("history.reconstructed"))
    const [rebuilt] = histories(all).toReversed()
    expect(rebuilt?.payload).toMatchObject({ through: head, cause: "to go on with work that was open" })
  })

  test("[RT-EVT-18] that its state was saved is told with the next fact, once, and never by itself", async () => {
    const before = await openRuntime(echoModel())
    const { session_id } = await submit(before.runtime, "One")
    await until(before.runtime, session_id, ends("turn.completed"))
    await until(before.runtime, session_id, isIdle)
    const first = before.runtime.log.head(session_id)
    expect(of(facts(before.runtime, session_id), "snapshot.updated")).toEqual([])
    await before.runtime.close()
    const { runtime } = await openRuntime(echoModel(), { directory: before.directory })
    await done(runtime, "get_session", { session_id })
    expect(runtime.log.head(session_id)).toBe(first)
    const again = await submit(runtime, "Two", { session_id })
    const ended = (seen: readonly Envelope[]) =>
      seen.some(({ type, turn_id }) => type === "turn.completed" && turn_id === again.turn_id)
    const all = await until(runtime, session_id, (seen) => ended(seen) && isIdle(seen))
    const told = of(all, "snapshot.updated")
    expect(told.map(({ payload }) => payload)).toEqual([{ snapshot: "session_snapshot", reflects: first }])
    expect(told[0]?.sequence).toBe(first + 1)
    // Saving the state in which it was told is told with the fact after that: there is no chain.
    await runtime.close()
    const last = (await openRuntime(echoModel(), { directory: before.directory })).runtime
    expect(last.log.head(session_id)).toBe(all.length)
  })

  test("[RT-EVT-30] a session that was idle adds nothing by being read", async () => {
    const before = await openRuntime(echoModel())
    const { session_id } = await submit(before.runtime, "Hello")
    await until(before.runtime, session_id, ends("turn.completed"))
    await before.runtime.close()
    const { runtime } = await openRuntime(echoModel(), { directory: before.directory })
    const head = runtime.log.head(session_id)
    await done(runtime, "get_session", { session_id })
    expect(runtime.log.head(session_id)).toBe(head)
    expect(histories(facts(runtime, session_id))).toEqual([])
  })

  test.each([
    ["damaged", "update states set text = text || ' '"],
    ["outdated", undefined],
  ] as const)(
    "[RT-EVT-30] a %s saved state is rebuilt from the log, and told as snapshot.repaired",
    async (cause, damage) => {
      const before = await openRuntime(echoModel())
      const { session_id, thread_id } = await submit(before.runtime, "Hello")
      await until(before.runtime, session_id, ends("thread.updated", 2))
      const read = await done(before.runtime, "get_thread_read", { session_id, thread_id })
      const head = before.runtime.log.head(session_id)
      await before.runtime.close()
      const { directory } = before
      if (damage === undefined) {
        const store = await openSqliteStore(directory)
        if (!store.ok) throw new Error(store.message)
        await store.log.saveState({ stream: session_id, sequence: head, text: '{"version":0,"state":{}}' })
        await store.log.close()
      } else {
        const db = new DatabaseSync(join(directory, "factum.db"))
        db.exec(damage)
        db.close()
      }
      const { runtime } = await openRuntime(echoModel(), { directory })
      expect(await done(runtime, "get_thread_read", { session_id, thread_id })).toEqual(read)
      expect(runtime.log.head(session_id)).toBe(head)
      await submit(runtime, "Again", { session_id })
      const told = histories(facts(runtime, session_id))
      expect(told.map(({ type }) => type)).toEqual([
        "history.window.loaded",
        "history.reconstructed",
        "snapshot.repaired",
      ])
      expect(told.map(({ payload }) => payload)).toMatchObject([
        { window: { from: 1, to: head }, facts: expect.any(Number) },
        { source: "log", through: head },
        { snapshot: "session_snapshot", reflects: head, cause },
      ])
      await until(runtime, session_id, ends("turn.completed", 2))
      await runtime.close()
      const again = await openRuntime(echoModel(), { directory })
      await submit(again.runtime, "Third", { session_id })
      expect(of(facts(again.runtime, session_id), "snapshot.repaired")).toHaveLength(1)
    },
  )

  test("[RT-EVT-30] from a snapshot and what follows it, both are named", () => {
    const state = {
      sequence: 9,
      entities: restore({ read: () => [], loadState: () => undefined }, "s").state.entities,
    }
    const sessions = { s: { session_id: "s" } } as unknown as typeof state.entities.sessions
    const cell = { session_id: "s", state: { ...state, entities: { ...state.entities, sessions } } }
    const restored = { snapshot: 6, through: 9, facts: 3 }
    expect(historyFacts({ ...cell, restored }, "why")).toEqual([
      {
        type: "history.window.loaded",
        session_id: "s",
        payload: { window: { from: 7, to: 9 }, facts: 3, purpose: "why" },
      },
      {
        type: "history.reconstructed",
        session_id: "s",
        payload: { source: "snapshot_and_log", snapshot_sequence: 6, through: 9, facts: 3, cause: "why" },
      },
    ])
    expect(historyFacts({ ...cell, restored: { ...restored, facts: 0 } }, "why")).toHaveLength(1)
    expect(historyFacts(cell)).toEqual([])
  })
})

describe("an old session of ten thousand facts", () => {
  test.each([1, 97, 1_000])(
    "[RT-CTX-5] windows of %i give each fact once, and old open work shows",
    async (limit) => {
      const directory = temporaryDirectory()
      const store = await openSqliteStore(directory)
      if (!store.ok) throw new Error(store.message)
      const { log, runtime_id } = store
      const ids = systemIds(systemClock)
      const cells = createCells({ log, clock: systemClock, ids, redactor: createRedactor(), runtime_id })
      const place = { session_id: "ses_old", thread_id: "thr_old", turn_id: "trn_old" }
      const count = limit === 1 ? 300 : 10_000
      await cells.inLine("ses_old", async (cell) => {
        await cells.commit(cell, [
          { type: "session.created", session_id: "ses_old", payload: { title: "Old" } },
          { type: "thread.started", session_id: "ses_old", thread_id: "thr_old", payload: {} },
          {
            type: "turn.submitted",
            ...place,
            payload: { input: [{ kind: "text", text: "Hi" }], source: "client" },
          },
          {
            type: "action.required",
            ...place,
            action_id: "act_old",
            payload: {
              action_type: "structured_input",
              title: "Which?",
              detail: "",
              parent: { kind: "turn", id: "trn_old" },
              decided_by: "human",
              decisions: [{ id: "ok", label: "OK", effect: "allow" }],
              requester: { kind: "agent", name: "main" },
            },
          },
        ])
        for (let n = cell.state.sequence; n < count; n += 500) {
          const more = Math.min(500, count - n)
          await cells.commit(
            cell,
            Array.from({ length: more }, (_, at) => ({
              type: "run.status" as const,
              ...place,
              payload: {
                phase: "preparing" as const,
                title: `${n + at}`,
                detail: "",
                checkpoints: [],
                metadata: {},
              },
            })),
          )
        }
      })
      await cells.settle()
      await log.close()

      const { runtime } = await openRuntime(handModel().model, { directory })
      const seen: Envelope[] = []
      for (let before: string | undefined; ; ) {
        const page: { history: Envelope[]; next_cursor?: string } = await done(runtime, "get_session", {
          session_id: "ses_old",
          limit,
          ...(before === undefined ? {} : { before }),
        })
        seen.unshift(...page.history)
        before = page.next_cursor
        if (before === undefined || seen.length > 20_000) break
      }
      const sequences = seen.map(({ sequence }) => sequence)
      expect(sequences.slice(0, count)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
      expect(new Set(sequences).size).toBe(sequences.length)
      const { state, restored } = restore(runtime.log, "ses_old")
      expect(restored.snapshot).toBeGreaterThan(0)
      expect(pendingRequests(state).map(({ id }) => id)).toEqual(["act_old"])
      expect(sessionSnapshot(state).shell.session_id).toBe("ses_old")
    },
  )
})
