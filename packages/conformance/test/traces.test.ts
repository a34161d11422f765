import { readFileSync, writeFileSync } from "node:fs"
import { emptyState, reduce } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { validateFact } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { scenarios } from "../scripts/traces/index.ts"
import { summarise } from "../src/projection.ts"
import { readTrace, traceNames, tracePath } from "../src/traces.ts"

const isUpdate = process.env.UPDATE === "1"
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

test("at least twenty scenarios are recorded, and each has its script", () => {
  expect(traceNames().length).toBeGreaterThanOrEqual(20)
  expect(traceNames()).toEqual(Object.keys(scenarios).sort())
})

describe.each(traceNames())("%s", (name) => {
  const facts = readTrace(name)
  test("its script tells it again, byte for byte", () => {
    expect(facts).toEqual(plain(scenarios[name]?.facts()))
  })
  test("every fact is valid", () => {
    const refused = facts.flatMap((fact) => {
      const checked = validateFact(fact)
      return checked.ok ? [] : [{ type: fact.type, sequence: fact.sequence, issues: checked.issues }]
    })
    expect(refused).toEqual([])
  })
  // UPDATE=1 writes what the projection gives now; the change is then reviewed.
  test("[UI-LIFE-7] its projection is the recorded one", () => {
    const state = plain(summarise(reduce(emptyState(), facts.map(fromRuntime))))
    const path = tracePath(name, "state.json")
    if (isUpdate) writeFileSync(path, `${JSON.stringify(state, null, 2)}\n`)
    expect(state).toEqual(JSON.parse(readFileSync(path, "utf8")))
  })
})
