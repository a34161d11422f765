import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Action } from "../../src/action.ts"
import { readOutput } from "../../src/parse.ts"
import { accepted, act, action, actionsOf, called, fenced, glob, graph, native, setup } from "./given.ts"

const bare = (actions: readonly Action[]) => actions.map(({ origin: _, ...rest }) => rest)

const calls = fc
  .array(
    fc.record(
      {
        type: fc.constantFrom("tool", "agent"),
        args: fc.dictionary(
          fc.string({ minLength: 1, maxLength: 5 }).map((key) => `k${key}`),
          fc.jsonValue({ maxDepth: 2 }),
          { maxKeys: 3 },
        ),
        result: fc.constantFrom("summary", "full", "structured", "on_failure", "on_demand", "adaptive"),
        title: fc.string(),
        before: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
      },
      { requiredKeys: ["type", "before"] },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) =>
    list.map(({ before, ...call }, index) => {
      const depends = before.filter((other) => other < index).map((other) => `c${other}`)
      const name = call.type === "tool" ? "glob" : "auto"
      return {
        ...call,
        name,
        id: `c${index}`,
        ...(depends.length === 0 ? {} : { depends: depends.length === 1 ? depends[0] : depends }),
      }
    }),
  )

describe("one form of work", () => {
  it("[MP-NORM-1] act becomes execute with an action graph", () => {
    const declaration = accepted(native(act(glob("a"))))
    expect(declaration.intent).toBe("execute")
    expect("graph" in declaration && declaration.graph).toMatchObject({
      strategy: "dag",
      mode: "ephemeral",
      approvals: [],
    })
  })

  it("[MP-NORM-2] each call becomes one action with its id, in order", () => {
    fc.assert(
      fc.property(calls, (list) => {
        expect(actionsOf(native(act(...list))).map(({ id }) => id)).toEqual(list.map(({ id }) => id))
      }),
      { seed: 11, numRuns: 200 },
    )
  })

  it("[MP-NORM-3] every field of a call is found in its action", () => {
    fc.assert(
      fc.property(calls, (list) => {
        const read = actionsOf(native(act(...list)))
        const written: unknown[] = JSON.parse(JSON.stringify(list)).map(
          (call: { args?: unknown }) => call.args ?? {},
        )
        expect(
          read.map(({ executor, depends_on, result_policy, title }) => ({
            executor,
            depends_on,
            result_policy,
            title,
          })),
        ).toEqual(
          list.map(({ type, name, depends, result, title }) => ({
            executor: { type, target: name, capabilities: [] },
            depends_on: depends === undefined ? [] : [depends].flat(),
            result_policy: { return_to_model: result ?? "summary", priority: [], store_full: true },
            title,
          })),
        )
        expect(read.map(({ input }) => input)).toEqual(written)
      }),
      { seed: 12, numRuns: 200 },
    )
  })

  it("[MP-NORM-3] an action of the full form may carry input", () => {
    expect(actionsOf(fenced(graph([action("a", { input: { n: 1 } })])))[0]?.input).toEqual({ n: 1 })
  })

  it("[MP-NORM-4] block, native call and recovered tool call give equal actions but for their origin", () => {
    const args = { pattern: "*.ts" }
    const messages = [
      fenced(graph([action("find", { executor: { type: "tool", target: "glob" }, input: args })])),
      native(act(glob("find", { args }))),
      called("glob", args, "find"),
    ]
    const read = messages.map((message) => actionsOf(message))
    expect(read.map((actions) => actions[0]?.origin)).toEqual(["dsl", "native", "recovered_call"])
    expect(bare(read[1] ?? [])).toEqual(bare(read[0] ?? []))
    expect(bare(read[2] ?? [])).toEqual(bare(read[0] ?? []))
  })

  it("[MP-NORM-4] native and recovered delegation give equal actions but for their origin", () => {
    const args = { description: "Review." }
    const declared = actionsOf(native(act({ id: "r", type: "agent", name: "reviewer", args })))
    const named = actionsOf(called("reviewer", args, "r"))
    const task = actionsOf(called("task", { agent: "reviewer", ...args }, "r"))
    expect(bare(named)).toEqual(bare(declared))
    expect(bare(task)).toEqual(bare(declared))
  })

  it("[MP-NORM-4] normalising what was normalised changes nothing", () => {
    fc.assert(
      fc.property(calls, (list) => {
        const once = actionsOf(native(act(...list)))
        const again = once.map(({ id, title, executor, input, depends_on, result_policy, failure_policy }) =>
          action(id, { title, executor, input, depends_on, result_policy, failure_policy }),
        )
        expect(bare(actionsOf(native(graph(again))))).toEqual(bare(once))
      }),
      { seed: 13, numRuns: 100 },
    )
  })

  it("[MP-NORM-4] reading is deterministic", () => {
    const message = fenced(graph([action("a", { prompt_ref: "md:p" })]), "\n# p\n\ntext")
    expect(JSON.stringify(readOutput(message, setup))).toBe(JSON.stringify(readOutput(message, setup)))
  })
})
