import { expect, it, vi } from "vitest"
import { launch } from "../../src/adapters/processes/child.ts"

// As on a system for which the package has no terminal of its own.
vi.mock("@lydell/node-pty", () => ({
  get spawn() {
    throw new Error("no terminal for this system")
  },
}))

const nothing = { output: () => {}, exited: () => {}, closed: () => {} }
const request = { cwd: "/", env: {}, stdin: "closed" as const }

it("without a terminal a process that wants one fails with the reason", async () => {
  const child = await launch({ ...request, command: ["/bin/true"], tty: { columns: 80, rows: 24 } }, nothing)
  expect(child).toEqual({ failed: expect.stringMatching(/terminal/) })
})

it("without a terminal a process with pipes runs all the same", async () => {
  const exited = new Promise((resolve) => {
    void launch({ ...request, command: ["/bin/true"], tty: false }, { ...nothing, exited: resolve })
  })
  expect(await exited).toEqual({ code: 0 })
})
