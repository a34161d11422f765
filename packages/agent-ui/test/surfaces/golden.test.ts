import { expect, test } from "vitest"
import { surfaces } from "../../src/index.ts"
import { see } from "./given.ts"
import { teamSession } from "./scenario.ts"

const state = teamSession()
const now = "2026-01-03T00:00:00.000Z"

test.each(surfaces)("the whole view of %s over a team session", async (surface) => {
  const view = see(surface, state, { sessionId: "s1", agentId: "researcher", now })
  const text = `${JSON.stringify(view, null, 1)}\n`
  await expect(text).toMatchFileSnapshot(`golden/${surface}.txt`)
})
test("the events of the session are all well formed", () => {
  expect([...state.findings]).toEqual([])
})
