import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import {
  createHarness,
  type HarnessOptions,
  manualClock,
  memoryStore,
  type Trace,
} from "../../src/harness/index.ts"
import { origins, projectRun, renderTranscript, resultRecord } from "../../src/index.ts"
import { act, ask, execute, graphOf } from "./build.ts"

describe("permission", () => {
  it("[MP-SAFE-2] it is asked when an action starts: revoked meanwhile means no execution and a reason", async () => {
    const calls: string[] = []
    let allowed = true
    const of = createHarness({
      clock: manualClock(),
      permission: ({ action }) => (allowed ? undefined : `No more ${action.id}.`),
      executors: {
        work: ({ action }) => {
          calls.push(action.id)
          allowed = false
          return "ok"
        },
      },
    })
    await of.run(execute(graphOf([act("a"), act("b", { depends_on: ["a"] })])))
    expect(calls).toEqual(["a"])
    expect(of.record("run_1")?.state.actions.b).toEqual({
      id: "b",
      status: "failed",
      attempts: [],
      passes: 0,
      reason: { code: "not_permitted", message: "No more b.", action_id: "b" },
    })
    expect(of.record("run_1")?.observations.b?.reason).toContain("No more b.")
  })

  it("[MP-SAFE-2] one that cannot be judged is denied, and the rest of the run goes on", async () => {
    const of = createHarness({
      clock: manualClock(),
      permission: ({ action }) => {
        if (action.id === "a") throw new Error("no")
        return undefined
      },
      executors: { work: () => "ok" },
    })
    await of.run(execute(graphOf([act("a"), act("b")])))
    expect(of.record("run_1")?.state.actions).toMatchObject({
      a: {
        status: "failed",
        reason: { code: "not_permitted", message: "The permission could not be judged." },
      },
      b: { status: "completed" },
    })
  })

  it.each(["real", "read"] as const)(
    "[MP-SAFE-2] a workspace whose %s breaks gives no file",
    async (broken) => {
      const breaks = () => {
        throw new Error("no")
      }
      const workspace = { root: "/w", real: (path: string) => path, read: () => "words", [broken]: breaks }
      const of = createHarness({ clock: manualClock(), workspace, executors: { work: () => "ok" } })
      await of.run(execute(graphOf([act("a", { context_refs: ["file:x"] }), act("b")])))
      expect(of.record("run_1")?.state.actions).toMatchObject({
        a: { status: "blocked", reason: { code: "not_permitted" } },
        b: { status: "completed" },
      })
    },
  )

  it("[MP-SAFE-2] it is asked again for every attempt", async () => {
    let asked = 0
    const of = createHarness({
      clock: manualClock(),
      permission: () => (++asked > 2 ? "Enough." : undefined),
      executors: { work: { work: () => ({ status: "failure" }), side_effects: ["read"] } },
    })
    await of.run(execute(graphOf([act("a", { failure_policy: { on_failure: "retry", max_retries: 5 } })])))
    expect(of.record("run_1")?.state.actions.a).toMatchObject({
      status: "failed",
      reason: { code: "not_permitted", message: "Enough." },
    })
    expect(of.record("run_1")?.state.actions.a?.attempts).toHaveLength(2)
  })
})

describe("files", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "files-")))
  const root = join(base, "root")
  mkdirSync(root)
  writeFileSync(join(root, "in.txt"), "inside")
  writeFileSync(join(root, "secret.txt"), "hidden")
  writeFileSync(join(base, "out.txt"), "outside")
  symlinkSync(join(base, "out.txt"), join(root, "link.txt"))
  afterAll(() => rmSync(base, { recursive: true }))

  const real = (path: string) => {
    try {
      return realpathSync(path)
    } catch {
      return undefined
    }
  }
  const open = (over: Partial<HarnessOptions> = {}) => {
    const seen: string[] = []
    const of = createHarness({
      clock: manualClock(),
      workspace: { root, real, read: (path) => readFileSync(path, "utf8") },
      permission: ({ path }) =>
        path?.endsWith("secret.txt") === true ? "secret.txt may not be read." : undefined,
      executors: {
        work: {
          files: ["path"],
          work: ({ input, request }) => {
            seen.push(String(input.path ?? request.context[0]?.text))
            return "ok"
          },
        },
      },
      ...over,
    })
    return { of, seen }
  }

  it.each([
    ["in.txt", "completed", ""],
    ["../out.txt", "failed", "../out.txt is refused: it leaves the workspace."],
    [join(base, "out.txt"), "failed", `${join(base, "out.txt")} is refused: it leaves the workspace.`],
    ["link.txt", "failed", "link.txt is refused: it leaves the workspace through a link."],
    ["secret.txt", "failed", "secret.txt may not be read."],
  ])("[MP-SAFE-5] argument %s", async (path, status, message) => {
    const { of, seen } = open()
    await of.run(execute(graphOf([act("a", { input: { path } })])))
    const a = of.record("run_1")?.state.actions.a
    expect([a?.status, a?.reason?.message ?? ""]).toEqual([status, message])
    expect(seen).toEqual(status === "completed" ? [path] : [])
  })

  it("[MP-SAFE-5] without a workspace no file argument is allowed", async () => {
    const of = createHarness({
      clock: manualClock(),
      executors: { work: { files: ["path"], work: () => "ok" } },
    })
    await of.run(execute(graphOf([act("a", { input: { path: "x" } }), act("b", { input: { path: 3 } })])))
    expect(of.record("run_1")?.state.actions).toMatchObject({
      a: { reason: { code: "not_permitted", message: "x is refused: there is no workspace." } },
      b: { status: "completed" },
    })
  })

  it.each([
    ["file:in.txt", "inside"],
    ["repo://current/in.txt", "inside"],
  ])("[MP-SAFE-5] reference %s is read", async (ref, text) => {
    const { of, seen } = open()
    await of.run(execute(graphOf([act("a", { context_refs: [ref] })])))
    expect(seen).toEqual([text])
  })

  it.each([
    "file:../out.txt",
    "repo://current/../out.txt",
    "file:link.txt",
    "file:secret.txt",
    "file:/etc/passwd",
  ])("[MP-SAFE-5] reference %s is refused", async (ref) => {
    const { of, seen } = open()
    await of.run(execute(graphOf([act("a", { context_refs: [ref] })])))
    expect(of.record("run_1")?.state.actions.a).toMatchObject({
      status: "blocked",
      reason: { code: "not_permitted" },
    })
    expect(seen).toEqual([])
  })

  it("[MP-REF-10] a reference to a withheld output leaves the action blocked", async () => {
    const { of, seen } = open()
    const graph = graphOf([
      act("a", { private: true, input: { path: "in.txt" } }),
      act("b", { context_refs: ["action:a.output"] }),
    ])
    await of.run(execute(graph))
    expect(of.record("run_1")?.state.actions.b).toMatchObject({
      status: "blocked",
      reason: { code: "unresolved_ref" },
    })
    expect(of.record("run_1")?.state.status).toBe("failed")
    expect(seen).toEqual(["in.txt"])
  })
})

describe("secrets", () => {
  it("[MP-SAFE-6] a known secret is in no observation, projection, log, artifact or store", async () => {
    const secret = "sk-TOPSECRET"
    const store = memoryStore()
    const of = createHarness({
      clock: manualClock(),
      store,
      secrets: [secret],
      executors: {
        work: ({ action }) =>
          action.id === "a"
            ? {
                status: "completed",
                output: `key ${secret}`,
                data: { key: secret },
                summary: secret,
                produced: [{ name: "log", text: secret }],
              }
            : { status: "failure", message: `bad ${secret}` },
      },
    })
    const policy = { return_to_model: "full", priority: [], store_full: true } as const
    const actions = [
      act("a", { result_policy: policy, input: { key: secret }, persist: true }),
      act("b", { persist: true }),
    ]
    const answer = await of.run(
      execute(graphOf(actions, { persist: true }), { source: `{"key":"${secret}"}`, title: secret }),
    )
    if (!answer.ok || answer.kind !== "run") throw new Error("It did not run.")
    const { record } = answer
    expect(record.observations.a?.content).toBe("key [redacted]")
    expect(of.artifacts.get("runtime://run_1/artifacts/log")?.text).toBe("[redacted]")
    const everything = [
      record,
      of.events("run_1"),
      projectRun(record),
      resultRecord(record),
      renderTranscript([{ kind: "run", run: record }]),
      [...store.runs.values()],
      of.artifacts.get("artifact://run_1/a"),
      of.artifacts.get("runtime://run_1/declaration"),
    ]
    expect(JSON.stringify(everything)).not.toContain(secret)
    expect(JSON.stringify(everything)).toContain("bad [redacted]")
  })
})

describe("visibility and privacy", () => {
  it.each(["user", "log", "runtime"] as const)(
    "[MP-POLICY-8] an executor limited to %s is not raised by a declaration",
    async (visibility) => {
      const of = createHarness({
        clock: manualClock(),
        executors: { work: { visibility, work: () => "MARK" } },
      })
      await of.run(execute(graphOf([act("a")])))
      const record = of.record("run_1")
      expect(record?.observations.a).toMatchObject({ content: "", withheld: "visibility" })
      if (record === undefined) throw new Error("There is no record.")
      expect(renderTranscript([{ kind: "run", run: record }])).not.toContain("MARK")
    },
  )

  it.each([
    ["user", "SEEN"],
    ["log", ""],
    ["runtime", ""],
  ] as const)(
    "[MP-POLICY-8] of an executor limited to %s a person sees %j, whatever is declared",
    async (visibility, shown) => {
      const work = () => ({ status: "completed", output: "raw", summary: "SEEN" }) as const
      const of = createHarness({ clock: manualClock(), executors: { work: { visibility, work } } })
      const answer = await of.run(execute(graphOf([act("a")])))
      if (!answer.ok || answer.kind !== "run") throw new Error("It did not run.")
      expect(projectRun(answer.record).actions[0]?.result_summary).toBe(shown)
    },
  )

  it("[MP-POLICY-9] a private artifact is reached by no path", async () => {
    const of = createHarness({
      clock: manualClock(),
      executors: {
        work: () => ({
          status: "completed",
          output: "ok",
          produced: [{ name: "hidden", text: "MARK", private: true }],
        }),
      },
    })
    const next = act("b", { depends_on: ["a"], context_refs: ["artifact:hidden"] })
    await of.run(execute(graphOf([act("a"), next])))
    expect(of.record("run_1")?.state.actions.b).toMatchObject({
      status: "blocked",
      reason: { code: "unresolved_ref" },
    })
    const refs = [{ ref: "artifact:hidden" }, { ref: "runtime://run_1/artifacts/hidden" }]
    const expanded = await of.run(ask({ intent: "expand_ref", refs }))
    expect(expanded).toMatchObject({ expansions: [{ ok: false }, { ok: false }] })
    expect(JSON.stringify([expanded, of.record("run_1")])).not.toContain("MARK")
  })
})

describe("one path", () => {
  it.each(origins)("[MP-NORM-5] an action that came as %s takes the same steps", async (origin) => {
    const trace: Trace[] = []
    const asked: string[] = []
    const of = createHarness({
      clock: manualClock(),
      trace: (entry) => trace.push(entry),
      permission: ({ action }) => {
        asked.push(action.id)
        return undefined
      },
      executors: { work: () => "ok" },
    })
    const answer = await of.run(execute(graphOf([act("a", { origin })]), { origin }))
    if (!answer.ok || answer.kind !== "run") throw new Error("It did not run.")
    expect(trace.map(({ step }) => step)).toEqual([
      "validated",
      "permitted",
      "expanded",
      "logged",
      "called",
      "observed",
    ])
    expect(asked).toEqual(["a"])
    expect(of.events("run_1").map(({ type }) => type)).toEqual([
      "run.accepted",
      "action.started",
      "action.ended",
    ])
    expect(projectRun(answer.record).actions).toEqual([
      { id: "a", title: "a", description: "", status: "completed", result_summary: "ok" },
    ])
  })

  it.each(origins)(
    "[MP-NORM-5] an action that came as %s is refused for the same reasons",
    async (origin) => {
      const of = createHarness({ clock: manualClock(), executors: {} })
      expect(await of.run(execute(graphOf([act("a", { origin })]), { origin }))).toEqual({
        ok: false,
        issues: [
          {
            code: "unknown_executor",
            path: "payload.actions[0].executor",
            message: "No executor is named work.",
            fix: "Name a listed executor, or auto.",
          },
        ],
      })
    },
  )

  it("[MP-RECORD-4] one run_id leads through log, projection, transcript and artifacts", async () => {
    const store = memoryStore()
    const of = createHarness({
      clock: manualClock(),
      store,
      executors: { work: () => "found" },
      run_id: () => "run_42",
    })
    const answer = await of.run(execute(graphOf([act("a", { persist: true })], { persist: true })))
    if (!answer.ok || answer.kind !== "run") throw new Error("It did not run.")
    const { record } = answer
    expect(store.runs.get("run_42")?.events[0]).toEqual({ type: "run.accepted", run_id: "run_42", at: 0 })
    expect(projectRun(record).run_id).toBe("run_42")
    expect(resultRecord(record).run_id).toBe("run_42")
    expect(renderTranscript([{ kind: "run", run: record }])).toContain("run_id: `run_42`")
    const [ref = ""] = record.observations.a?.refs ?? []
    expect(ref).toBe("artifact://run_42/a")
    expect(of.artifacts.get(ref)).toMatchObject({ run_id: "run_42", action_id: "a", text: "found" })
  })
})
