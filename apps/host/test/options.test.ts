import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hasScreen } from "../src/browser.ts"
import { parseOptions } from "../src/options.ts"
import { keepToken, readToken } from "../src/token.ts"
import { nodeTooOld } from "../src/version.ts"
import { temporaryDirectory } from "./hosting.ts"

const linux = { env: {}, platform: "linux", home: "/home/ann", cwd: resolve(".") } as const
const parse = (...args: string[]) => parseOptions(args, linux)

describe("options", () => {
  it("none of them", () => {
    const directory = resolve("/home/ann/.local/share/factum")
    expect(parse()).toEqual({
      kind: "start",
      directory,
      port: 4860,
      orFree: true,
      open: true,
      script: undefined,
      project: resolve("."),
      names: [],
      secrets: join(directory, "secrets"),
    })
  })

  it("agents work where the command was given, unless a folder is named", () => {
    const given = { ...linux, cwd: "/home/ann/shop" }
    expect(parseOptions([], given)).toMatchObject({ project: resolve("/home/ann/shop") })
    expect(parseOptions(["--project", "/p"], given)).toMatchObject({ project: resolve("/p") })
  })

  it("the folder that npm was called in is for npm's scripts alone", () => {
    const given = { ...linux, cwd: "/home/ann/shop", env: { INIT_CWD: "/home/ann" } }
    expect(parseOptions([], given)).toMatchObject({ project: resolve("/home/ann/shop") })
  })

  it("paths are meant from where the command was given", () => {
    const given = { ...linux, cwd: "/home/ann/shop" }
    const args = ["--project", "sub", "--data", "facts", "--script", "a.jsonl"]
    expect(parseOptions(args, given)).toMatchObject({
      project: resolve("/home/ann/shop/sub"),
      directory: resolve("/home/ann/shop/facts"),
      script: resolve("/home/ann/shop/a.jsonl"),
    })
  })

  it.each([
    ["apart", ["--port", "5000", "--data", "/d", "--script", "a.jsonl", "--project", "/p", "--no-open"]],
    ["with a sign", ["--no-open", "--project=/p", "--script=a.jsonl", "--data=/d", "--port=5000"]],
  ])("all of them, values %s", (_, args) => {
    const directory = resolve("/d")
    expect(parse(...args)).toEqual({
      kind: "start",
      directory,
      port: 5000,
      orFree: false,
      open: false,
      script: resolve("a.jsonl"),
      project: resolve("/p"),
      names: [],
      secrets: join(directory, "secrets"),
    })
  })

  it("where others may reach it", () => {
    const args = [
      "--host",
      "0.0.0.0",
      "--name",
      "Factum.Example",
      "--origin",
      "https://Chat.Example.com/",
      "--origin",
      "http://localhost:3000",
      "--tls-cert",
      "/c.pem",
      "--tls-key",
      "/k.pem",
    ]
    expect(parse(...args, "--secrets", "/s")).toMatchObject({
      address: "0.0.0.0",
      names: ["factum.example"],
      origins: ["https://chat.example.com", "http://localhost:3000"],
      tls: { cert: resolve("/c.pem"), key: resolve("/k.pem") },
      secrets: resolve("/s"),
    })
    expect(parse("--tls-cert", "/c.pem")).toMatchObject({
      kind: "wrong",
      message: expect.stringContaining("go together"),
    })
  })

  it.each([
    [
      "an unknown option",
      ["--colour"],
      "There is no option --colour; factum start --help tells what there is.",
    ],
    [
      "an unknown option with a value",
      ["--colour=red"],
      "There is no option --colour; factum start --help tells what there is.",
    ],
    ["an unknown letter", ["-x"], "There is no option -x; factum start --help tells what there is."],
    [
      "a name of every object",
      ["--constructor"],
      "There is no option --constructor; factum start --help tells what there is.",
    ],
    ["a stray word", ["serve"], "serve is not understood; factum start --help tells what there is."],
    ["no value", ["--port"], "--port needs a value; factum start --help tells what there is."],
    ["an empty value", ["--data="], "--data needs a value; factum start --help tells what there is."],
    [
      "a value too much",
      ["--no-open=1"],
      "--no-open takes no value; factum start --help tells what there is.",
    ],
    [
      "a port of letters",
      ["--port", "http"],
      "http is no port: it is a number from 0 to 65535; factum start --help tells what there is.",
    ],
    [
      "a port too large",
      ["--port", "65536"],
      "65536 is no port: it is a number from 0 to 65535; factum start --help tells what there is.",
    ],
    ...[
      "null",
      "*",
      "chat.example.com",
      "https://chat.example.com/page",
      "file:///page",
      "https://a@b.c",
    ].map((origin): [string, string[], string] => [
      `the origin ${origin}`,
      ["--origin", "http://localhost:3000", "--origin", origin],
      `${origin} is no origin: it is written like https://chat.example.com, without a path; factum start --help tells what there is.`,
    ]),
  ])("%s gets one sentence", (_, args, message) => {
    expect(parse(...args)).toEqual({ kind: "wrong", message })
  })

  it("help and version", () => {
    expect(parse("--help", "--port", "1")).toEqual({ kind: "help" })
  })

  it.each([
    ["FACTUM_DATA", { ...linux, env: { FACTUM_DATA: "/f", XDG_DATA_HOME: "/x" } }, "/f"],
    ["an empty FACTUM_DATA", { ...linux, env: { FACTUM_DATA: "" } }, "/home/ann/.local/share/factum"],
    ["XDG_DATA_HOME", { ...linux, env: { XDG_DATA_HOME: "/x" } }, "/x/factum"],
    [
      "macOS",
      { env: { XDG_DATA_HOME: "/x" }, platform: "darwin", home: "/Users/ann" } as const,
      "/Users/ann/Library/Application Support/factum",
    ],
    [
      "Windows",
      { env: { LOCALAPPDATA: "/local" }, platform: "win32", home: "/ann" } as const,
      "/local/factum",
    ],
    ["bare Windows", { env: {}, platform: "win32", home: "/ann" } as const, "/ann/AppData/Local/factum"],
  ])("where facts are kept: %s", (_, surroundings, directory) => {
    expect(parseOptions([], { cwd: resolve("."), ...surroundings })).toMatchObject({
      directory: resolve(directory),
    })
  })

  it("--data wins over FACTUM_DATA", () => {
    const surroundings = { ...linux, env: { FACTUM_DATA: "/f" } }
    expect(parseOptions(["--data", "/d"], surroundings)).toMatchObject({ directory: resolve("/d") })
  })
})

describe("a browser opens", () => {
  it.each([
    ["on a desktop", { env: { DISPLAY: ":0" }, platform: "linux" }, true],
    ["on Wayland", { env: { WAYLAND_DISPLAY: "wayland-0" }, platform: "linux" }, true],
    ["not without a display", { env: {}, platform: "linux" }, false],
    ["not in CI", { env: { DISPLAY: ":0", CI: "true" }, platform: "linux" }, false],
    ["on macOS", { env: {}, platform: "darwin" }, true],
    ["not in CI on macOS", { env: { CI: "1" }, platform: "darwin" }, false],
  ] as const)("%s", (_, surroundings, opens) => {
    expect(hasScreen(surroundings)).toBe(opens)
  })
})

describe("the version of Node", () => {
  it.each(["24.0.0", "24.21.0", "26.1.0", "100.0.0"])("%s is new enough", (node) => {
    expect(nodeTooOld(node)).toBeUndefined()
  })

  it.each(["20.20.2", "22.18.0", "23.11.1"])("%s is refused with one sentence", (node) => {
    expect(nodeTooOld(node)).toBe(
      `Factum needs Node 24 or newer; this is ${node}: start it with npm start, which brings its own.`,
    )
  })
})

describe("the access token", () => {
  let directory: ReturnType<typeof temporaryDirectory>
  beforeEach(() => {
    directory = temporaryDirectory()
  })
  afterEach(() => directory.remove())

  const mode = () => statSync(join(directory.path, "token")).mode & 0o777

  it("is made once, is long, and is for its owner alone", () => {
    expect(readToken(directory.path)).toBeUndefined()
    const token = keepToken(directory.path)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(mode()).toBe(0o600)
    expect(keepToken(directory.path)).toBe(token)
    expect(readToken(directory.path)).toBe(token)
    expect(readFileSync(join(directory.path, "token"), "utf8")).toBe(`${token}\n`)
  })

  it("is closed to others again when its file was opened to them", () => {
    const token = keepToken(directory.path)
    chmodSync(join(directory.path, "token"), 0o644)
    expect(keepToken(directory.path)).toBe(token)
    expect(mode()).toBe(0o600)
  })

  it.each(["", "short", "two words that are no token at all, but long"])("is made anew over: %j", (text) => {
    writeFileSync(join(directory.path, "token"), text)
    expect(readToken(directory.path)).toBeUndefined()
    expect(keepToken(directory.path)).toMatch(/^[\w-]{43}$/)
    expect(mode()).toBe(0o600)
  })
})
