import { commands } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { echoModel, openRuntime, refused } from "./harness.ts"

describe("refusals", () => {
  it.each(["no_such", "", "toString", "__proto__", "submit_turn "])(
    "[RT-CMD-3] unknown command %j",
    async (name) => {
      const { runtime } = await openRuntime(echoModel())
      expect(await refused(runtime, name, { input: {} })).toMatchObject({
        code: "unknown_command",
        field: "name",
      })
    },
  )

  it.each(Object.keys(commands))(
    "[RT-CMD-3] %s with an ill-typed field is invalid_input and writes nothing",
    async (name) => {
      const { runtime } = await openRuntime(echoModel())
      const refusal = await refused(runtime, name, { input: { session_id: 7, no_such_field: true } })
      expect(refusal.code).toBe("invalid_input")
      expect(refusal.field).toMatch(/^input\./)
      expect(refusal.message).toContain(refusal.field)
      expect(runtime.log.streams({ limit: 1 })).toEqual([])
    },
  )

  it.each([
    ["no body", undefined, "body"],
    ["a list", [], "body"],
    ["no input", {}, "input"],
    ["input of another kind", { input: 5 }, "input"],
    ["a bad command id", { input: {}, command_id: "" }, "command_id"],
    ["a field too many", { input: {}, extra: 1 }, "extra"],
  ])("[RT-CMD-3] %s", async (_, body, field) => {
    const { runtime } = await openRuntime(echoModel())
    expect(await refused(runtime, "submit_turn", body)).toMatchObject({ code: "invalid_input", field })
  })

  it("[RT-CMD-3] a submission that names no session says what to do", async () => {
    const { runtime } = await openRuntime(echoModel())
    const refusal = await refused(runtime, "submit_turn", { input: { input: [{ kind: "text", text: "a" }] } })
    expect(refusal).toMatchObject({ code: "invalid_input", field: "input.session_id" })
    expect(refusal.fix).toContain("create")
  })

  it("[RT-CMD-3] the runtime's own stream is no session", async () => {
    const { runtime } = await openRuntime(echoModel())
    const input = { session_id: runtime.runtime_id, create: "session", input: [{ kind: "text", text: "a" }] }
    expect(await refused(runtime, "submit_turn", { input })).toMatchObject({ code: "not_found" })
  })

  it("a command that this runtime does not carry out says so", async () => {
    const { runtime } = await openRuntime(echoModel())
    const refusal = await refused(runtime, "list_tasks", { input: { session_id: "s" } })
    expect(refusal.code).toBe("unavailable")
  })
})
