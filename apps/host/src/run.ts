import { readFileSync, realpathSync, statSync } from "node:fs"
import { constants } from "node:os"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import type { Model } from "@factum/runtime"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { readSecrets } from "./access/secrets.ts"
import { hasScreen, openBrowser } from "./browser.ts"
import { type Host, type NotStarted, startHost } from "./host.ts"
import { help, type Options, parseOptions } from "./options.ts"
import { version } from "./version.ts"
import { openWork } from "./work.ts"

const demoScript = fileURLToPath(new URL("../demo/welcome.jsonl", import.meta.url))

/** The `factum` command. Sets the exit code; ends when the host does. */
export async function run(args: readonly string[]): Promise<void> {
  // What people say to their agents is not for the machine's other users.
  process.umask(0o077)
  const options = parseOptions(args)
  if (options.kind === "help") console.log(help.trimEnd())
  else if (options.kind === "version") console.log(`factum ${version}`)
  else if (options.kind === "wrong") fail(options.message, 2)
  else await start(options)
}

async function start(options: Options): Promise<void> {
  const { directory, port, orFree, project } = options
  if (!isFolder(project)) return fail(`${project} is no folder; name one with --project.`, 2)
  const secrets = readSecrets(options.secrets)
  if (!secrets.ok) return fail(secrets.message, 2)
  const tls = readTls(options)
  if (typeof tls === "string") return fail(tls, 2)
  const env = { ...secrets.values, ...process.env }
  const work = await openWork(project, { env, hidden: [directory, options.secrets] })
  for (const note of work.notes) console.error(note)
  const { models, ...rest } = work
  // Who names a model gets that one or is told why not, never the demo in its place.
  const isNamed = options.script === undefined && models.length > 0
  const model = (isNamed ? work.model : undefined) ?? readModel(options.script)
  if (typeof model === "string") {
    await work.close()
    return fail(model, 2)
  }
  const chosen = isNamed ? { model, models } : { model }
  const { address, names } = options
  const reachable = { names, ...(address !== undefined && { address }), ...(tls && { tls }) }
  const masked = { ...rest.secrets, ...secrets.values }
  const workspace = realpathSync(project)
  const host = await startHost({
    directory,
    port,
    orFree,
    project,
    ...rest,
    secrets: masked,
    ...chosen,
    ...reachable,
    workspace,
  })
  if (!host.ok) {
    await work.close()
    return notStarted(host, options)
  }
  // Before the line is printed: who reads it may end the host right away.
  endOnSignal({ ...host, close: () => host.close().finally(work.close) })
  if (host.note) console.error(host.note)
  console.log(`Factum is running at ${host.page}`)
  show(host.page, options)
}

function notStarted(reason: NotStarted, options: Options): void {
  if (reason.code === "running") {
    console.log(`Factum is already running at ${reason.page} (process ${reason.pid}).`)
    show(reason.page, options)
  } else fail(reason.message, 1)
}

function show(page: string, { open }: Options): void {
  if (open && hasScreen(process)) openBrowser(page)
}

/** A second signal means "at once": what was acknowledged is on the disk already. */
function endOnSignal(host: Host): void {
  let closing = false
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (closing) process.exit(128 + constants.signals[signal])
      closing = true
      console.log("Factum is stopping; what was acknowledged is kept.")
      host.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
  }
}

function readModel(script: string | undefined): Model | string {
  const path = script ?? demoScript
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    return `The script ${path} cannot be read: ${error instanceof Error ? error.message : error}.`
  }
  const parsed = parseScript(text)
  if (!parsed.ok) return `The script ${path} is wrong in line ${parsed.line}: ${parsed.message}`
  return scriptedModel(parsed.scenes, script === undefined ? "demo" : basename(script, ".jsonl"))
}

function readTls({ tls }: Options): { cert: string; key: string } | string | undefined {
  if (tls === undefined) return undefined
  try {
    return { cert: readFileSync(tls.cert, "utf8"), key: readFileSync(tls.key, "utf8") }
  } catch (error) {
    return `The certificate or its key cannot be read: ${error instanceof Error ? error.message : error}.`
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function fail(message: string, code: number): void {
  console.error(message)
  process.exitCode = code
}
