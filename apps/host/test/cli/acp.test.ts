import { mkdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { methods } from "@agentclientprotocol/sdk"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { choose, editor, open, prompt, said } from "../interop/editor.ts"
import { place } from "./factum.ts"

let at: ReturnType<typeof place>
let here: string
beforeEach(() => {
  at = place()
  here = realpathSync(at.path)
  mkdirSync(join(here, "other"))
})
afterEach(() => at.remove())

/** An editor with the real command at the other end of its pipes. */
function edit(args: readonly string[], cwd = here) {
  const { child, exited } = at.spawned(["acp", ...args], { cwd })
  const side = editor({ input: child.stdout, output: child.stdin }, choose("allow"))
  const leave = () => {
    side.connection.close()
    child.stdin.end()
    return exited
  }
  return { ...side, leave }
}

async function writesNote({ agent, updates, asked, leave }: ReturnType<typeof edit>, cwd: string) {
  const { sessionId } = await open(agent, cwd)
  expect(await prompt(agent, sessionId, "write")).toEqual({ stopReason: "end_turn" })
  expect(asked).toMatchObject([{ sessionId, options: [{ optionId: "allow" }, { optionId: "deny" }] }])
  expect(said(updates)).toBe("I write it.It is written.")
  expect(readFileSync(join(cwd, "note.txt"), "utf8")).toBe("Hello")
  expect(await leave()).toBe(0)
  return sessionId
}

describe("factum acp", () => {
  test("works in the editor's folder, wherever the command was given, through an approval", async () => {
    await writesNote(edit(at.own), join(here, "other"))
  })

  test("works through the host that runs, which then has the session", async () => {
    const host = await at.start()
    const session = await writesNote(edit([]), here)
    expect((await at.factum(["show", session])).out).toContain("It is written.")
    await host.end()
  })

  test("refuses a folder in which the running host does not work, and names both", async () => {
    const host = await at.start()
    const { agent, leave } = edit([])
    const other = join(here, "other")
    await expect(open(agent, other)).rejects.toThrow(
      `works in ${here}, but this is for ${other}: give ${other} a host of its own with --data <folder>`,
    )
    // The same editor may still open the right one.
    const { sessionId } = await open(agent, here)
    expect(await prompt(agent, sessionId, "hello")).toEqual({ stopReason: "end_turn" })
    expect(await leave()).toBe(0)
    await host.end()
  })

  test("its own host works in one folder, and --project says which", async () => {
    const { agent, leave } = edit([...at.own, "--project", here], join(here, "other"))
    await expect(open(agent, join(here, "other"))).rejects.toThrow(`This agent works in ${here}`)
    await expect(open(agent, join(here, "nowhere"))).rejects.toThrow("is no folder")
    const { sessionId } = await open(agent, here)
    expect(await prompt(agent, sessionId, "hello")).toEqual({ stopReason: "end_turn" })
    const load = { sessionId, cwd: join(here, "other"), mcpServers: [] }
    await expect(agent.request(methods.agent.session.load, load)).rejects.toThrow(
      `This agent works in ${here}`,
    )
    expect(await leave()).toBe(0)
  })
})
