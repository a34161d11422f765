import { existsSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { place } from "./factum.ts"

let at: ReturnType<typeof place>
beforeEach(() => {
  at = place()
})
afterEach(() => at.remove())

const note = () => join(at.path, "note.txt")
const idIn = (text: string, prefix: string) => new RegExp(`${prefix}_\\w+`).exec(text)?.[0] ?? ""

describe("factum run", () => {
  test("over a pipe: the answer alone on stdout", async () => {
    expect(await at.factum(["run", "hello", ...at.own])).toEqual({ code: 0, out: "Yes.\n", err: "" })
  })

  test("takes the task from its input", async () => {
    expect(await at.factum(["run", ...at.own], "hello\n")).toMatchObject({ code: 0, out: "Yes.\n" })
  })

  test("a turn that failed ends with 1 and says what to do", async () => {
    const { code, err } = await at.factum(["run", "fail", ...at.own])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("The model is out.") })
  })

  test.each([
    ["long", "en_US.UTF-8", "Half of\n", "The answer was cut off at the model's output limit. "],
    ["long", "zh_CN.UTF-8", "Half of\n", "模型的回答达到输出上限，被截断了。"],
    ["withheld", "en_US.UTF-8", "", "The provider withheld the answer. "],
    ["withheld", "zh_CN.UTF-8", "", "模型服务没有给出这个回答。"],
  ])("an answer that is not whole ends with 1 and says so: %s, %s", async (task, LANG, out, said) => {
    expect(await at.factum(["run", task, ...at.own], "", { LANG })).toEqual({
      code: 1,
      out,
      err: expect.stringContaining(said),
    })
  })

  test("--json prints facts, one a line, to the end of the turn", async () => {
    const { code, out } = await at.factum(["run", "hello", "--json", ...at.own])
    const facts = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, index) => index + 1))
    expect(facts.map(({ type }) => type)).toContain("turn.completed")
  })

  test("--session goes on in a session", async () => {
    await at.factum(["run", "hello", ...at.own])
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    expect(await at.factum(["run", "again", "--session", id, ...at.own])).toMatchObject({ code: 0 })
    const { out } = await at.factum(["show", id])
    expect(out).toContain("> hello\nYes.\n")
    expect(out).toContain("> again\nYes.\n")
  })

  test("without a person it leaves the question open, ends with 3, and answer goes on", async () => {
    const asked = await at.factum(["run", "write", ...at.own])
    const action = idIn(asked.err, "act")
    expect(asked.code).toBe(3)
    expect(asked.err).toContain(`factum answer ${action} allow|deny`)
    expect(existsSync(note())).toBe(false)
    const listed = await at.factum(["answer", ...at.own])
    expect(listed).toMatchObject({
      code: 3,
      out: expect.stringContaining(`${action}  allow|deny  Allow write_file?`),
    })
    const answered = await at.factum(["answer", action, "allow", ...at.own])
    expect(answered).toMatchObject({ code: 0, out: expect.stringContaining("It is written.") })
    expect(readFileSync(note(), "utf8")).toBe("Hello")
    expect((await at.factum(["answer", action, "allow", ...at.own])).code).toBe(1)
    expect(await at.factum(["answer", ...at.own])).toEqual({
      code: 0,
      out: "",
      err: "Nothing waits for you.\n",
    })
  })

  test("attach without a person tells once what waits", async () => {
    await at.factum(["run", "write", ...at.own])
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    const { code, err } = await at.factum(["attach", id, ...at.own])
    expect({ code, told: err.split("factum answer").length - 1 }).toEqual({ code: 3, told: 1 })
  })

  test("show tells a turn in its order, and how it ended", async () => {
    await at.factum(["run", "write", ...at.own])
    const action = idIn((await at.factum(["answer", ...at.own])).out, "act")
    await at.factum(["answer", action, "allow", ...at.own])
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    expect((await at.factum(["show", id])).out).toMatch(
      /^> write\nI write it\.\n {2}> write_file .*\n {2}< write_file .*\nIt is written\.\ndone\n$/,
    )
    await at.factum(["run", "fail", "--session", id, ...at.own])
    await at.factum(["run", "hello", "--session", id, ...at.own])
    expect((await at.factum(["show", id])).out).toMatch(
      /> fail\n(.*\n)*.*The model is out\..*\n> hello\nYes\.\n/,
    )
  })
})

describe("factum run at a terminal", () => {
  test("shows the safe input and takes yes", async () => {
    const terminal = at.terminal(["run", "write", ...at.own])
    await terminal.until("[n]o")
    expect(terminal.seen()).toContain("content: Hello")
    terminal.type("y\r")
    expect(await terminal.ended).toBe(0)
    expect(terminal.seen()).toContain("It is written.")
    expect(readFileSync(note(), "utf8")).toBe("Hello")
  })

  test("takes no, and tells by its exit code that something was refused", async () => {
    const terminal = at.terminal(["run", "write", ...at.own])
    await terminal.until("[n]o")
    terminal.type("maybe\r")
    await terminal.until("Type y, n or e, then press Enter.")
    terminal.type("n\r")
    expect(await terminal.ended).toBe(3)
    expect(existsSync(note())).toBe(false)
  })

  test("takes words for the agent in place of a yes", async () => {
    const terminal = at.terminal(["run", "write", ...at.own])
    await terminal.until("[n]o")
    terminal.type("e\r")
    await terminal.until("instead?")
    terminal.type("use another file\r")
    expect(await terminal.ended).toBe(3)
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    expect((await at.factum(["export", id])).out).toContain("use another file")
  })

  test("Ctrl-C interrupts the turn, which the log tells", async () => {
    const terminal = at.terminal(["run", "slow", ...at.own])
    await terminal.until("two")
    terminal.type("\u0003")
    expect(await terminal.ended).toBe(130)
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    expect((await at.factum(["export", id])).out).toContain('"cancelled"')
  })

  test("an open question is asked again by attach", async () => {
    await at.factum(["run", "write", ...at.own])
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    const terminal = at.terminal(["attach", id, ...at.own])
    await terminal.until("[n]o")
    terminal.type("y\r")
    expect(await terminal.ended).toBe(0)
    expect(readFileSync(note(), "utf8")).toBe("Hello")
  })
})

describe("the other commands", () => {
  test("init writes a configuration and an agent, once; agents lists it; run uses it", async () => {
    expect(await at.factum(["init"])).toMatchObject({ code: 0 })
    expect(await at.factum(["init"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("nothing was changed"),
    })
    expect((await at.factum(["agents"])).out).toContain("reviewer")
    expect(await at.factum(["run", "hi", "--agent", "reviewer", ...at.own])).toMatchObject({ code: 0 })
    const wrong = await at.factum(["run", "hi", "--agent", "nobody", ...at.own])
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("there are reviewer") })
  })

  test("tokens are issued, listed and revoked", async () => {
    const { out } = await at.factum(["tokens", "create", "phone", "--role", "viewer", "--days", "2"])
    expect(out).toMatch(/^fct_[\w-]{43}\n$/)
    const listed = (await at.factum(["tokens", "list"])).out
    expect(listed).toMatch(/^tok_\w+ {2}phone {2}viewer {2}everything/)
    expect(await at.factum(["tokens", "revoke", idIn(listed, "tok")])).toMatchObject({ code: 0 })
    expect((await at.factum(["tokens", "list"])).out).toBe("")
    expect(await at.factum(["tokens", "create", "x", "--role", "king"])).toMatchObject({ code: 2 })
  })

  test("a token's folder is named as sessions name theirs, however it was said", async () => {
    const folder = realpathSync(at.path)
    symlinkSync(folder, join(folder, "link"))
    await at.factum([
      "tokens",
      "create",
      "a",
      "--role",
      "viewer",
      "--workspace",
      ".",
      "--workspace",
      "./link",
    ])
    expect((await at.factum(["tokens", "list"])).out).toContain(` ${folder},${folder} `)
  })

  test("export and validate agree, by id, by file and by pipe", async () => {
    await at.factum(["run", "hello", ...at.own])
    const id = idIn((await at.factum(["sessions"])).out, "ses")
    const file = join(at.path, "trace.jsonl")
    expect(await at.factum(["export", id, "--out", file])).toMatchObject({ code: 0, out: "" })
    const [byId, byFile, byPipe] = await Promise.all([
      at.factum(["validate", id]),
      at.factum(["validate", file]),
      at.factum(["validate", "-"], readFileSync(file, "utf8")),
    ])
    expect(byId).toMatchObject({ code: 0, out: expect.stringContaining("0 failures") })
    expect(byFile).toEqual(byId)
    expect(byPipe).toEqual(byId)
    expect(await at.factum(["validate", "-"], "nothing")).not.toMatchObject({ code: 0 })
  })

  test("doctor tells about Node, sandbox, store, configuration and model", async () => {
    const { out } = await at.factum(["doctor"])
    for (const about of ["node", "sandbox", "store", "config", "model"]) expect(out).toContain(` ${about} `)
    expect(existsSync(at.env.FACTUM_DATA)).toBe(false)
  })

  test("tools lists what the last turn had", async () => {
    await at.factum(["run", "hello", ...at.own])
    expect((await at.factum(["tools"])).out).toContain("write_file")
  })

  test.each(["bash", "zsh", "fish"])("completion %s names every command", async (shell) => {
    const { code, out } = await at.factum(["completion", shell])
    expect(code).toBe(0)
    for (const name of ["start", "run", "attach", "tokens", "--json", "--port"])
      expect(out).toContain(name.replace(/^--/, ""))
  })

  test.each([
    [["runn"], "There is no command runn. Did you mean run? factum --help lists them.\n"],
    [["run", "x", "--colour"], "There is no option --colour; factum run --help tells more.\n"],
    [
      ["run", "x", "--mode", "wild"],
      "wild is no mode: there are plan, ask, accept_edits, full; factum run --help tells more.\n",
    ],
    [["show"], "show needs <session>; factum show --help tells more.\n"],
  ])("%j ends with 2 and one sentence", async (args, err) => {
    expect(await at.factum(args)).toEqual({ code: 2, out: "", err })
  })

  test("help fits a screen, and speaks Chinese where the terminal does", async () => {
    const { out } = await at.factum(["--help"])
    expect(out.split("\n").length).toBeLessThanOrEqual(25)
    expect((await at.factum(["--help"], "", { LANG: "zh_CN.UTF-8" })).out).toContain("命令")
  })
})
