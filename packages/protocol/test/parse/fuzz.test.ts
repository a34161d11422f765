import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hostileMessages, hostileSetup } from "../../scripts/hostile.ts"
import { carrierName } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"
import { disabled, setup } from "./given.ts"
import { anyOutput } from "./outputs.ts"
import { keepsPromises } from "./promises.ts"
import { stepsOf } from "./steps.ts"

describe("any output", () => {
  it("[MP-SAFE-1] a changed declaration either is valid as a whole or starts nothing", () => {
    const counts: Record<string, number> = {}
    fc.assert(
      fc.property(anyOutput, (message) => {
        const kind = keepsPromises(message, setup)
        counts[kind] = (counts[kind] ?? 0) + 1
      }),
      { seed: 7, numRuns: 2000 },
    )
    // The property means something only if every kind was met often.
    expect(Object.keys(counts).sort()).toEqual(["answer", "declaration", "refused", "waiting"])
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50)
  })

  it("[MP-CARRIER-4] no output of an agent that is not enabled starts anything", () => {
    fc.assert(
      fc.property(anyOutput, (message) => {
        expect(readOutput(message, disabled)).toEqual(
          message.complete ? { kind: "answer", text: message.text } : { kind: "waiting" },
        )
      }),
      { seed: 8, numRuns: 300 },
    )
  })
})

describe("hostile output", () => {
  it.each(Object.entries(hostileMessages(1 << 15)))(
    "[MP-SAFE-4] output with %s is answered, and runs nothing",
    (_, message) => {
      expect(keepsPromises(message, hostileSetup)).not.toBe("declaration")
    },
  )

  it.each(Object.keys(hostileMessages(1)))(
    "[MP-SAFE-4] twice as much output with %s takes twice the steps",
    (name) => {
      const steps = (size: number) => {
        const message = hostileMessages(size)[name]
        return stepsOf(() => message !== undefined && readOutput(message, hostileSetup))
      }
      const [once, twice] = [steps(1 << 15), steps(1 << 16)]
      expect(once).toBeGreaterThan(0)
      expect(twice / once).toBeLessThan(2.2)
    },
  )

  it("[MP-SAFE-4] twice as many loops take twice the steps", () => {
    const steps = (count: number) => {
      const actions = Array.from({ length: count }, (_, at) => {
        const until = { action: `a${count - 1}`, status: "completed" }
        return { type: "action", id: `a${at}`, repeat: { max: 3, until } }
      })
      const payload = { type: "action_graph", actions }
      const declaration = { type: "agent.protocol", version: "1", intent: "execute", payload }
      const call = { id: "1", name: carrierName, arguments: JSON.stringify(declaration) }
      const wide = { ...setup, limits: { actions: count, declaration: 1 << 24 } }
      return stepsOf(() =>
        expect(readOutput({ text: "", calls: [call], complete: true }, wide).kind).toBe("declaration"),
      )
    }
    expect(steps(1000) / steps(500)).toBeLessThan(2.2)
  })

  it.each(["marked fences", "open brackets", "nested arrays", "escapes", "many calls", "many dependencies"])(
    "[MP-SAFE-4] a MiB of %s is answered, and runs nothing",
    (name) => {
      const message = hostileMessages(1 << 20)[name]
      expect(message === undefined || readOutput(message, hostileSetup).kind).toBe("refused")
    },
  )
})
