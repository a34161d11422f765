import { join } from "node:path"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { build } from "vite"
import { describe, expect, test, vi } from "vitest"
import { push, setAt, unshift } from "../src/chain.ts"
import { chainOf, createAgentUiStore, emptyState, reduce } from "../src/index.ts"
import { emptyTable, removeFrom, setIn, type Table } from "../src/table.ts"
import { delta, given, partsOf, run, textsOf } from "./given.ts"

describe("the store", () => {
  const held = () => {
    let publish: (() => void) | undefined
    let planned = 0
    const store = createAgentUiStore({
      schedule: (run) => {
        planned++
        publish = run
        return () => {
          publish = undefined
        }
      },
    })
    return { store, tick: () => publish?.(), planned: () => planned }
  }
  test("a burst is published once, and the last delta is always published", () => {
    const { store, tick, planned } = held()
    let told = 0
    store.subscribe(() => told++)
    for (const letter of "hello") store.dispatch([delta(letter)])
    expect([told, planned(), textsOf(store.getSnapshot())]).toEqual([0, 1, []])
    tick()
    expect([told, textsOf(store.getSnapshot())]).toEqual([1, ["hello"]])
    store.dispatch([delta("!")])
    tick()
    expect([told, textsOf(store.getSnapshot())]).toEqual([2, ["hello!"]])
  })
  test("flush publishes what waits; a listener that left is not told; a closed store is silent", () => {
    const { store } = held()
    let told = 0
    const leave = store.subscribe(() => told++)
    store.dispatch([delta("a")])
    store.flush()
    leave()
    store.dispatch([delta("b")])
    store.close()
    store.flush()
    expect([told, textsOf(store.getSnapshot())]).toEqual([1, ["a"]])
  })
  test("a listener that throws keeps nobody from being told", () => {
    const errors: unknown[] = []
    const store = createAgentUiStore({
      schedule: { everyMs: 60_000 },
      onError: (error) => errors.push(error),
    })
    const told: string[] = []
    store.subscribe(() => told.push("first"))
    store.subscribe(() => {
      throw new Error("broken")
    })
    store.subscribe(() => told.push("last"))
    store.dispatch([delta("a")])
    expect(() => store.flush()).not.toThrow()
    expect(() => store.update((state) => ({ ...state }))).not.toThrow()
    expect(told).toEqual(["first", "last", "first", "last"])
    expect(errors).toEqual([new Error("broken"), new Error("broken")])
    expect(textsOf(store.getSnapshot())).toEqual(["a"])
    store.close()
  })
  test("without anybody to tell, what a listener threw is thrown by itself", async () => {
    const store = createAgentUiStore({ schedule: { everyMs: 60_000 } })
    const others = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException")
    try {
      const thrown = new Promise((seen) => process.once("uncaughtException", seen))
      store.subscribe(() => {
        throw new Error("broken")
      })
      store.dispatch([delta("a")])
      store.flush()
      expect(await thrown).toEqual(new Error("broken"))
    } finally {
      for (const other of others) process.on("uncaughtException", other)
      store.close()
    }
  })
  test("what cannot be read costs the other events of its batch nothing", () => {
    const { store } = held()
    let value: unknown = []
    for (let level = 0; level < 20_000; level++) value = [value]
    store.dispatch([
      delta("a"),
      { type: "state.snapshot", sequence: 1, payload: { state: value } },
      delta("b"),
    ])
    store.flush()
    expect(textsOf(store.getSnapshot())).toEqual(["ab"])
  })
  test("a change of local state comes after the events that were there before it", () => {
    const { store } = held()
    store.dispatch([delta("a")])
    store.update((state) => {
      expect(textsOf(state)).toEqual(["a"])
      return state
    })
  })
  test("a cadence in milliseconds publishes by itself", async () => {
    const store = createAgentUiStore({ schedule: { everyMs: 1 } })
    await new Promise<void>((done) => {
      store.subscribe(done)
      store.dispatch([delta("a")])
    })
    expect(textsOf(store.getSnapshot())).toEqual(["a"])
  })
})

describe("cost", () => {
  const thread = (messages: number) =>
    reduce(
      emptyState(),
      Array.from({ length: messages }, (_, at) => delta("text", { messageId: `old${at}` })),
    )
  test("[UI-PERF-1] an event copies the same few things in a thread of any length", () => {
    const copies = [10, 5000].map((size) => {
      const before = thread(size)
      const next = reduce(before, [delta("x", { messageId: "old3" })])
      return [...before.messages.values()].filter(
        (message) => next.messages.get(message.messageId) !== message,
      ).length
    })
    expect(copies).toEqual([1, 1])
  })
  test("[UI-PERF-1] only the last block of a text grows", () => {
    const long = given(...Array.from({ length: 200 }, () => delta("0123456789".repeat(100))))
    const next = reduce(long, [delta("x")])
    const [was, is] = [partsOf(long)[0], partsOf(next)[0]]
    if (was?.kind !== "text" || is?.kind !== "text") throw new Error("no text")
    const changed = is.text.blocks.filter((block, at) => block !== was.text.blocks[at])
    expect(changed).toHaveLength(1)
    expect(changed[0]?.length).toBeLessThan(9000)
  })
  test("[UI-PERF-1] a batch copies a touched thing once, and leaves the rest", () => {
    const before = thread(100)
    const next = reduce(
      before,
      Array.from({ length: 50 }, () => delta("x", { messageId: "old3" })),
    )
    expect(next.messages.get("old4")).toBe(before.messages.get("old4"))
    expect([next.tools, next.agents, next.actions, next.tasks]).toEqual([
      before.tools,
      before.agents,
      before.actions,
      before.tasks,
    ])
    expect(next.tools).toBe(before.tools)
  })
})

describe("tables and chains", () => {
  const steps = fc.array(
    fc.record({
      id: fc.constantFrom("a", "b", "c", "__proto__", "constructor", ""),
      value: fc.option(fc.nat(), { nil: undefined }),
      batch: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  test("a table is a map in the order of first setting, and older versions stay", () => {
    fc.assert(
      fc.property(steps, (changes) => {
        let edit = new Set<object>()
        let table: Table<number> = emptyTable()
        const model = new Map<string, number | undefined>()
        const kept: [Table<number>, [string, number][]][] = []
        for (const { id, value, batch } of changes) {
          if (batch) {
            kept.push([table, [...table.entries()]])
            edit = new Set()
          }
          table = value === undefined ? removeFrom(table, id, edit) : setIn(table, id, value, edit)
          if (value !== undefined || model.has(id)) model.set(id, value)
          expect([...table.entries()]).toEqual([...model].filter(([, one]) => one !== undefined))
          expect(table.size).toBe([...table.keys()].length)
        }
        for (const [version, entries] of kept) expect([...version.entries()]).toEqual(entries)
      }),
      { seed: 5, numRuns: 500 },
    )
  })
  test("two futures of one table do not meet", () => {
    const base = setIn(emptyTable<number>(), "a", 1, new Set())
    const [one, two] = [setIn(base, "b", 2, new Set()), setIn(base, "c", 3, new Set())]
    expect([[...base.keys()], [...one.keys()], [...two.keys()]]).toEqual([["a"], ["a", "b"], ["a", "c"]])
    expect([one.get("c"), two.get("b"), emptyTable().get("a")]).toEqual([undefined, undefined, undefined])
  })
  test("a chain is a list that grows at both ends", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("push", "unshift", "set"), fc.nat()), { maxLength: 120 }),
        (changes) => {
          let chain = chainOf<number>([])
          let model: number[] = []
          for (const [kind, value] of changes) {
            const before = [...chain]
            const version = chain
            if (kind === "push") model = [...model, value]
            else if (kind === "unshift") model = [value, ...model]
            else if (model.length > 0) model = model.with(value % model.length, value)
            if (kind === "push") chain = push(chain, value, new Set())
            else if (kind === "unshift") chain = unshift(chain, value, new Set())
            else if (chain.length > 0) chain = setAt(chain, value % chain.length, value, new Set())
            expect([...version]).toEqual(before)
          }
          expect([...chain]).toEqual(model)
          expect([chain.slice(1, -1), chain.at(-1), chain.at(999), chain.length]).toEqual([
            model.slice(1, -1),
            model.at(-1),
            undefined,
            model.length,
          ])
        },
      ),
      { seed: 5, numRuns: 300 },
    )
  })
  test("beyond one block too", () => {
    const many = Array.from({ length: 40_000 }, (_, at) => at)
    const chain = chainOf(many)
    expect(chain.slice(0)).toEqual(many)
    expect(setAt(chain, 33_333, -1, new Set()).at(33_333)).toBe(-1)
    expect(chain.at(33_333)).toBe(33_333)
  })
})

/** As an application would bundle it: the library form of vite leaves white space in. */
async function bundled(...names: readonly string[]): Promise<string> {
  const input = names.map((name) => join(import.meta.dirname, "../src", name))
  const result = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: true,
      rollupOptions: { input, external: [/^@factum\/facts/], preserveEntrySignatures: "strict" },
    },
  })
  const chunks = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  return chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("")
}

test("the package without React and without its adapters stays under 45 kB gzip", async () => {
  const code = await bundled("index.ts")
  expect(code).toContain("context.compaction.started")
  expect(code).toContain("createAgentUiStore")
  expect(gzipSync(code).length).toBeLessThan(45_000)
})

test("the package with all of its adapters stays under 75 kB gzip", async () => {
  const adapters = ["runtime", "ag-ui", "ai-sdk"].map((name) => `adapters/${name}/index.ts`)
  expect(gzipSync(await bundled("index.ts", "parts/index.ts", ...adapters)).length).toBeLessThan(75_000)
})

test("a page that nobody sees draws no frames and is published all the same", async () => {
  let frames = 0
  vi.stubGlobal("requestAnimationFrame", () => ++frames)
  vi.stubGlobal("cancelAnimationFrame", () => undefined)
  try {
    const store = createAgentUiStore()
    store.dispatch([run("started")])
    await expect.poll(() => store.getSnapshot().runs.size, { timeout: 20_000 }).toBe(1)
    expect(frames).toBe(1)
    store.close()
  } finally {
    vi.unstubAllGlobals()
  }
})
