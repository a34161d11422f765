import { readFileSync, realpathSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import type { Model, Runtime } from "@factum/runtime"
import { offerOf } from "@factum/runtime/routing"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { readSecrets } from "./access/secrets.ts"
import { playedFrom, recordedIn, type Through } from "./cassettes.ts"
import { demoScript } from "./demo.ts"
import { type Host, type NotStarted, startHost } from "./host.ts"
import type { Options } from "./options.ts"
import { openWork, type Wishes } from "./work.ts"

/** A host with the work of a project; `notes` are what a person should know. */
export type Opened = { ok: true; host: Host; notes: readonly string[] }
export type NotOpened =
  | { ok: false; usage: string }
  | { ok: false; reason: NotStarted }
  /** Nobody could answer; what is missing has been told. `lost`: the files are to be repaired. */
  | { ok: false; unanswerable: "lost" | "unavailable" }

type More = {
  wishes?: Wishes
  /** It is opened to give it a task at once. */
  works?: boolean
  onOpen?: (runtime: Runtime) => void
  tell?: (note: string) => void
}

/** What `start` begins with, and every command that finds no host running. */
export async function openHost(options: Options, more: More = {}): Promise<Opened | NotOpened> {
  const { directory, port, orFree, project } = options
  if (!isFolder(project)) return wrong(`${project} is no folder; name one with --project.`)
  const secrets = readSecrets(options.secrets)
  if (!secrets.ok) return wrong(secrets.message)
  const tls = readTls(options)
  if (typeof tls === "string") return wrong(tls)
  const env = { ...secrets.values, ...process.env }
  const { wishes, works = false, onOpen, tell } = more
  const between = await throughOf(options)
  if (between !== undefined && "problem" in between) return wrong(between.problem)
  const work = await openWork(project, {
    env,
    hidden: [directory, options.secrets],
    // Who brings a script or names an agent means the project; the demonstrations have a sample of their own.
    ...(options.script === undefined && wishes?.agent === undefined && { demo: join(directory, "demo") }),
    ...(wishes && { wishes }),
    ...(between && { through: (offers, known) => between(offers, { ...secrets.values, ...known }) }),
  })
  const { models, agents, place, lost, strange, ...rest } = work
  if (strange !== undefined) {
    await work.close()
    return wrong(strange)
  }
  // Before the host takes anything: who ends it right away has still been told.
  for (const note of work.notes) tell?.(note)
  if (wishes?.agent !== undefined && !agents.includes(wishes.agent)) {
    await work.close()
    const known = agents.length === 0 ? "none is described here" : `there are ${agents.join(", ")}`
    return wrong(`There is no agent ${wishes.agent}: ${known}. factum agents lists them.`)
  }
  if (options.record !== undefined && models.length === 0) {
    await work.close()
    return wrong('There is no model to record: set "model" in factum.config.json.')
  }
  // Who names a model gets that one or is told why not, never the demo in its place.
  const isNamed = options.script === undefined && models.length > 0
  if (works && isNamed && work.model === undefined) {
    await work.close()
    return { ok: false, unanswerable: lost ? "lost" : "unavailable" }
  }
  const model = (isNamed ? work.model : undefined) ?? readModel(options.script)
  if (typeof model === "string") {
    await work.close()
    return wrong(model)
  }
  const { address, names, origins } = options
  const host = await startHost({
    directory,
    port,
    orFree,
    project: place,
    ...rest,
    secrets: { ...rest.secrets, ...secrets.values },
    model,
    ...(isNamed && { models }),
    ...(!isNamed && options.script === undefined && { models: [{ ...offerOf(model), stands_in: true }] }),
    names,
    ...(origins && { origins }),
    ...(address !== undefined && { address }),
    ...(tls && { tls }),
    workspace: place,
    ...(rest.demonstrations && { started_for: realpathSync(project) }),
    ...(onOpen && { onOpen }),
  })
  if (!host.ok) {
    await work.close()
    return { ok: false, reason: host }
  }
  return {
    ok: true,
    host: { ...host, close: () => host.close().finally(work.close) },
    notes: work.notes,
  }
}

/** Of a script, a cassette and a recording there is one at most, since each says who answers. */
async function throughOf({
  script,
  cassette,
  record,
}: Options): Promise<Through | undefined | { problem: string }> {
  const named = Object.entries({ script, cassette, record }).filter(([, path]) => path !== undefined)
  if (named.length > 1) {
    const flags = named.map(([name]) => `--${name}`).join(" and ")
    return { problem: `${flags} do not go together: leave one of them out.` }
  }
  if (cassette !== undefined) return playedFrom(cassette)
  return record === undefined ? undefined : recordedIn(record)
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

const wrong = (usage: string): NotOpened => ({ ok: false, usage })
