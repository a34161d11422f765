import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import {
  type Action,
  type Authority,
  approvalReason,
  canonical,
  type Executor,
  exhausted,
  foldRun,
  govern,
  inputHash,
  intersect,
  locate,
  redactor,
  sideEffects,
  tighter,
  visibilities,
  visibilityOf,
} from "../../src/index.ts"
import { act, graphOf } from "./build.ts"

const known = (over: Partial<Executor> = {}): Executor => ({
  name: "work",
  type: "tool",
  description: "",
  capabilities: [],
  ...over,
})

describe("side effects", () => {
  it.each(sideEffects)("[MP-POLICY-7] %s holds, whoever says it", (effect) => {
    const none = known({ side_effects: [] })
    expect(govern(act("a", { side_effects: [effect] }), none).side_effects).toEqual([effect])
    expect(govern(act("a"), known({ side_effects: [effect] })).side_effects).toEqual([effect])
  })

  it("[MP-POLICY-7] an executor that does not say what it changes may change anything", () => {
    expect(govern(act("a", { side_effects: ["read"] }), known()).side_effects).toEqual(["read", "external"])
    expect(govern(act("a"), known({ side_effects: [] })).side_effects).toEqual([])
  })

  it("[MP-POLICY-7] where declaration and registry differ both hold, so the stricter does", () => {
    const action = act("a", { side_effects: ["purchase", "read"] })
    expect(govern(action, known({ side_effects: ["write", "read"] })).side_effects).toEqual([
      "read",
      "write",
      "purchase",
    ])
  })

  it.each([
    ["unknown", undefined, "unknown"],
    ["unknown", true, true],
    ["unknown", false, false],
    [true, undefined, true],
    [true, false, false],
    [false, true, false],
    [false, undefined, false],
  ] as const)(
    "[MP-POLICY-6] declared %s, registered %s: idempotent is %s",
    (declared, registered, result) => {
      const executor = known(registered === undefined ? {} : { idempotent: registered })
      expect(govern(act("a", { idempotent: declared }), executor).idempotent).toBe(result)
    },
  )

  it("[MP-POLICY-7] the governed action names the executor that was chosen", () => {
    const action = act("a", { executor: { type: "tool", target: "auto", capabilities: ["x"] } })
    expect(govern(action, known()).executor).toEqual({ type: "tool", target: "work", capabilities: ["x"] })
    const { executor: _, ...bare } = action
    expect(govern(bare, known()).executor).toEqual({ type: "tool", target: "work", capabilities: [] })
  })
})

describe("approval", () => {
  const none = { approvals: [] }
  const gates: Record<string, string | undefined> = {
    delete: "a may delete.",
    purchase: "a may purchase.",
    publish: "a may publish.",
  }

  it.each(sideEffects)("[MP-POLICY-3] %s", (effect) => {
    expect(approvalReason(act("a", { side_effects: [effect] }), none)).toBe(gates[effect])
  })

  it("[MP-POLICY-3] irreversible", () => {
    expect(approvalReason(act("a", { irreversible: true }), none)).toBe("a cannot be undone.")
    expect(approvalReason(act("a"), none)).toBeUndefined()
  })

  it("[MP-POLICY-3] several effects are told together", () => {
    const action = act("a", { side_effects: ["read", "delete", "publish"] })
    expect(approvalReason(action, none)).toBe("a may delete, publish.")
  })

  const base = act("a", { operation: "edit", input: { path: "x", deep: { a: 1, b: [1, 2] } } })
  const changes: [string, Action][] = [
    ["id", { ...base, id: "b" }],
    ["input", { ...base, input: { path: "y" } }],
    ["deep input", { ...base, input: { path: "x", deep: { a: 1, b: [2, 1] } } }],
    ["operation", { ...base, operation: "erase" }],
    ["executor", { ...base, executor: { type: "tool", target: "other", capabilities: [] } }],
    ["prompt", { ...base, prompt_ref: "md:p" }],
    ["context", { ...base, context_refs: ["md:c"] }],
    ["description", { ...base, description: "d" }],
  ]

  it.each(changes)("[MP-POLICY-2] another %s is another hash", (_, changed) => {
    expect(inputHash(changed)).not.toBe(inputHash(base))
  })

  it("[MP-POLICY-2] the order of keys and what is not input do not matter; the prompt's text does", () => {
    const same = { ...base, title: "T", input: { deep: { b: [1, 2], a: 1 }, path: "x" } }
    expect(inputHash(same)).toBe(inputHash(base))
    expect(inputHash(base)).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(inputHash(base, "text")).not.toBe(inputHash(base))
    expect(canonical({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}')
    expect(canonical(undefined)).toBe("")
  })
})

describe("visibility", () => {
  it.each(
    visibilities.flatMap((declared, i) =>
      visibilities.map((set, j) => [declared, set, i > j ? declared : set] as const),
    ),
  )("[MP-POLICY-8] declared %s, set to %s: seen by %s", (declared, set, result) => {
    expect(visibilityOf(act("a", { visibility: declared }), { visibility: set })).toBe(result)
    expect(govern(act("a", { visibility: declared }), known({ visibility: set })).visibility).toBe(result)
  })

  it("[MP-POLICY-8] without a setting the declaration holds", () => {
    expect(visibilityOf(act("a", { visibility: "user" }), {})).toBe("user")
  })
})

describe("limits", () => {
  it("[MP-POLICY-4] each limit is the tighter one", () => {
    expect(
      tighter(
        { max_tokens: 5, max_cost: 2, max_retries: 0 },
        { max_tokens: 7, max_time_ms: 9, max_parallel: 1, max_retries: 3 },
      ),
    ).toEqual({
      max_tokens: 5,
      max_time_ms: 9,
      max_cost: 2,
      max_retries: 0,
      max_parallel: 1,
    })
    expect(tighter({}, {})).toEqual({})
  })

  it("[MP-POLICY-4] without limits nothing is exhausted", () => {
    const state = foldRun(graphOf([]), [{ type: "run.accepted", run_id: "r", at: 5 }])
    expect(exhausted(state, {}, 1e9)).toBeUndefined()
    expect(exhausted(state, { max_time_ms: 10 }, 14)).toBeUndefined()
    expect(exhausted(state, { max_time_ms: 10 }, 15)).toBe("The limit of 10 ms is reached.")
  })
})

describe("authority", () => {
  const parent: Authority = { agent: "p", enabled: true, executors: ["a", "b"], depth: 1 }
  const child: Authority = { agent: "c", enabled: true, executors: ["b", "z"], depth: 0 }

  it("[MP-ASSIGN-2] a child's is the intersection with its parent's, one deeper", () => {
    expect(intersect(parent, child)).toEqual({ agent: "c", enabled: true, executors: ["b"], depth: 2 })
    const { executors: _, ...all } = child
    expect(intersect(parent, all)).toEqual({ agent: "c", enabled: true, executors: ["a", "b"], depth: 2 })
    const { executors: __, ...free } = parent
    expect(intersect(free, child)).toEqual({ agent: "c", enabled: true, executors: ["b", "z"], depth: 2 })
    expect(intersect(free, all)).toEqual({ agent: "c", enabled: true, depth: 2 })
    expect(intersect({ ...parent, enabled: false }, child).enabled).toBe(false)
    expect(intersect(parent, { ...child, enabled: false }).enabled).toBe(false)
  })
})

describe("secrets", () => {
  it("[MP-SAFE-6] are replaced everywhere, the longest first", () => {
    const redact = redactor(["abc", "abcdef", ""])
    expect(redact({ text: "1 abcdef 2 abc", list: ["abc", 3, null], deep: { abc: true } })).toEqual({
      text: "1 [redacted] 2 [redacted]",
      list: ["[redacted]", 3, null],
      deep: { "[redacted]": true },
    })
    expect(redactor([])("abc")).toBe("abc")
  })
})

describe("files", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")))
  const root = join(base, "root")
  mkdirSync(join(root, "src"), { recursive: true })
  mkdirSync(join(base, "root-other"))
  for (const file of ["root/src/a.ts", "root/..b", "outside.txt", "root-other/x"])
    writeFileSync(join(base, file), file)
  symlinkSync(join(base, "outside.txt"), join(root, "link"))
  symlinkSync(base, join(root, "up"))
  symlinkSync(join(root, "src"), join(root, "inner"))
  afterAll(() => rmSync(base, { recursive: true }))
  const workspace = {
    root,
    real: (path: string) => {
      try {
        return realpathSync(path)
      } catch {
        return undefined
      }
    },
  }

  it.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/../src/a.ts", "src/a.ts"],
    ["inner/a.ts", "src/a.ts"],
    ["..b", "..b"],
    [".", ""],
    [join(root, "src/a.ts"), "src/a.ts"],
  ])("[MP-SAFE-5] %s is inside", (path, real) => {
    expect(locate(path, workspace)).toEqual({ ok: true, path: join(root, real).replace(/\/$/, "") })
  })

  it.each([
    ["../outside.txt", "it leaves the workspace"],
    ["src/../../outside.txt", "it leaves the workspace"],
    ["/etc/passwd", "it leaves the workspace"],
    [join(base, "root-other/x"), "it leaves the workspace"],
    ["../../../../../../../../../../../../etc/passwd", "it leaves the workspace"],
    ["link", "it leaves the workspace through a link"],
    ["up/outside.txt", "it leaves the workspace through a link"],
    ["nowhere", "it does not exist"],
    ["", "it is not a plain path"],
    ["src\\..\\..\\outside.txt", "it is not a plain path"],
    ["src/a.ts\0.png", "it is not a plain path"],
    ["%2e%2e/outside.txt", "it is not a plain path"],
    ["..%2Foutside.txt", "it is not a plain path"],
    ["~/secret", "it is not a path of the workspace"],
    ["file:///etc/passwd", "it is not a path of the workspace"],
    ["C:/Windows", "it is not a path of the workspace"],
  ])("[MP-SAFE-5] %j is refused", (path, message) => {
    expect(locate(path, workspace)).toEqual({ ok: false, message })
  })

  it("[MP-SAFE-5] without a workspace nothing is inside", () => {
    expect(locate("a", { ...workspace, root: join(base, "gone") })).toEqual({
      ok: false,
      message: "the workspace does not exist",
    })
  })
})
