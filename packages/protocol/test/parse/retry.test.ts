import { describe, expect, it } from "vitest"
import { issue } from "../../src/issues.ts"
import { retryText } from "../../src/retry.ts"

const before = "Nothing was executed: the output does not follow the protocol. Correct these points:"
const after = [
  "",
  "Then give one complete declaration. The simplest form is one AgentProtocolOutput call, for example:",
  '{"kind":"act","calls":[{"id":"read_one","type":"tool","name":"read","args":{}}]}',
]
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => issue("uncertain", `calls[${at}]`, "It is unclear.", "Say it."))
const point = (at: number) => `- uncertain at calls[${at}]: It is unclear. Say it.`

describe("what a model is told of a refused output", () => {
  it("[MP-RECOVER-3] each point with its code, place, message and fix, then the simplest form", () => {
    const whole = issue("multiple_blocks", "", "There are two.", "Give one.")
    expect(retryText([whole, ...many(1)])).toBe(
      [before, "- multiple_blocks: There are two. Give one.", point(0), ...after].join("\n"),
    )
  })

  it("[MP-RECOVER-3] at most twenty points, and how many are left", () => {
    const points = Array.from({ length: 20 }, (_, at) => point(at))
    expect(retryText(many(20))).toBe([before, ...points, ...after].join("\n"))
    expect(retryText(many(23))).toBe([before, ...points, "- And 3 more like these.", ...after].join("\n"))
  })
})
