import { existsSync, statSync } from "node:fs"
import type { Offer } from "@factum/runtime/routing"
import { openSandbox } from "@factum/runtime/sandbox"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { told } from "../config/index.ts"
import { idleHooks } from "../hook-notes.ts"
import { workbenchDirectory } from "../host.ts"
import { offersOf } from "../models.ts"
import type { Options } from "../options.ts"
import { idleRules } from "../rule-notes.ts"
import { nodeTooOld, version } from "../version.ts"
import { type Command, exits } from "./command.ts"
import { configured } from "./describe.ts"
import { harmless, hasColour, type Ink, oneLine, painter } from "./paint.ts"
import { runningHost } from "./reach.ts"

type Level = "ok" | "note" | "wrong"
type Finding = { level: Level; about: string; text: string }
const inks: Readonly<Record<Level, Ink>> = { ok: "green", note: "yellow", wrong: "red" }
const PATIENCE_MS = 20_000

export const doctor: Command = {
  name: "doctor",
  summary: "tell what is installed, configured and working, and what to do about the rest",
  atHost: true,
  flags: {
    ask: { type: "boolean", help: "really ask every configured model for one word" },
    json: { type: "boolean", help: "one JSON object a line" },
  },
  async run(given, options) {
    const paint = painter(hasColour(process.stdout))
    let worst: number = exits.answered
    for await (const finding of findings(options, given.has("ask"))) {
      const { level, about, text } = finding
      if (level === "wrong") worst = exits.failed
      const line = `${paint(inks[level], level.padEnd(5))} ${about.padEnd(10)} ${harmless(text)}`
      console.log(given.has("json") ? JSON.stringify(finding) : line)
    }
    return worst
  },
}

async function* findings(options: Options, ask: boolean): AsyncGenerator<Finding> {
  const tooOld = nodeTooOld(process.versions.node)
  yield tooOld === undefined
    ? good("node", `${process.versions.node}, factum ${version}`)
    : bad("node", tooOld)
  yield existsSync(workbenchDirectory)
    ? good("workbench", "built")
    : note("workbench", "not built: npm start builds it; the command line works without it")
  const { probe } = await openSandbox()
  yield probe.ok
    ? good("sandbox", `${probe.program} confines commands`)
    : note("sandbox", `commands will not run: ${probe.reason}. Install bubblewrap (apt install bubblewrap).`)
  yield await storeFinding(options)
  const { config, problems, env } = configured(options)
  for (const problem of problems) yield bad("config", told(problem))
  if (problems.length === 0)
    yield good(
      "config",
      `mode ${config.mode}, ${config.agents.length} agents, ${config.mcp.length} MCP servers`,
    )
  for (const { what, name } of config.held)
    yield note("config", `${what} ${name} is held back until this folder is trusted`)
  for (const idle of [...idleHooks(config), ...idleRules(config)]) yield note("config", idle)
  const offers = offersOf(config, env)
  if (offers.length === 0)
    yield note(
      "model",
      'none is configured, so a scripted one shows how it works: set "model" in factum.config.json',
    )
  for (const offer of offers) yield await modelFinding(offer, ask)
}

/** Facts are looked at only where some are: a doctor makes no folder. */
async function storeFinding({ directory }: Options): Promise<Finding> {
  if (!existsSync(directory)) return good("store", `${directory} does not exist yet and will be made`)
  const running = await runningHost(directory)
  if (running !== undefined) return good("store", `${directory}, in use by the host at ${running.url}`)
  const store = await openSqliteStore(directory)
  if (!store.ok) return bad("store", store.message)
  const sessions = store.log.streams({ limit: 1000 }).length
  await store.log.close()
  const open = (statSync(directory).mode & 0o077) !== 0
  if (open) return note("store", `other users may read ${directory}: chmod 700 it`)
  return good("store", `${directory} opens, ${sessions} streams`)
}

async function modelFinding({ provider, model, via, unavailable }: Offer, ask: boolean): Promise<Finding> {
  const about = `${provider}/${model}`
  if (via === undefined) return bad("model", unavailable ?? `${about} cannot be asked.`)
  if (!ask) return good("model", `${about} is configured; --ask really asks it`)
  const messages = [{ role: "user" as const, parts: [{ kind: "text" as const, text: "Say ok." }] }]
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const chunk of via.stream({ model, messages, signal, max_output_tokens: 64 })) {
    if (chunk.kind === "error") return bad("model", `${about} did not answer: ${oneLine(chunk.reason, 200)}`)
    if (chunk.kind === "finish") return good("model", `${about} answers`)
  }
  return bad("model", `${about} broke off. Ask again, and look at the provider's status page.`)
}

const good = (about: string, text: string): Finding => ({ level: "ok", about, text })
const note = (about: string, text: string): Finding => ({ level: "note", about, text })
const bad = (about: string, text: string): Finding => ({ level: "wrong", about, text })
