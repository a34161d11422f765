import { expect, test } from "vitest"
import { childEnvironment } from "../../src/adapters/processes/environment.ts"

test("a process gets nothing that is named like a secret, and nothing of ours", () => {
  const own = { PATH: "/bin", API_TOKEN: "x", FACTUM_DATA: "/d", npm_config_x: "1", SHLVL: "3" }
  expect(childEnvironment(own)).toEqual({ PATH: "/bin", SHLVL: "3" })
})

test.each([undefined, "", "0", "none"])(
  "at shell level %s no start-up file of the person is run",
  (SHLVL) => {
    expect(childEnvironment({ SHLVL }).SHLVL).toBe("1")
  },
)
