import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { originOf } from "./cross-origin.ts"

const usualPort = 4860

export type Options = {
  kind: "start"
  directory: string
  port: number
  /** Only a port that was named must be that one. */
  orFree: boolean
  open: boolean
  script: string | undefined
  /** A file of recorded answers that are played, or one that answers are written to. */
  cassette?: string
  record?: string
  /** The folder that agents work in. */
  project: string
  /** The address to listen on, when not loopback. */
  address?: string
  names: readonly string[]
  /** Other sites whose pages may ask. */
  origins?: readonly string[]
  /** Where certificate and key lie. */
  tls?: { cert: string; key: string }
  /** Where secrets lie by name. */
  secrets: string
}
export type Parsed = Options | { kind: "help" } | { kind: "wrong"; message: string }

export const startHelp = `factum start [options]     the host and its workbench

  --port <number>    the port on 127.0.0.1 (${usualPort}, or a free one when it is taken; 0 for any free one)
  --data <folder>    where facts are kept ($FACTUM_DATA, or the user's own data folder)
  --project <folder> where agents work (the folder that the command was given in); while no model is configured,
                     only its settings are read, and the demo works on copies of its sample in the data folder
  --script <file>    what the scripted model says, as JSON lines (a built-in demo)
  --record <file>    also write what models answer to a cassette, without secrets
  --cassette <file>  play what was recorded in place of the models, without a network
  --host <address>   listen there instead of on 127.0.0.1; needs --tls-cert, --tls-key, --name and an issued token
  --name <name>      under which name others ask for it
  --tls-cert <file>  --tls-key <file>
  --origin <url>     let pages of this site ask too, with a token; may be given again
  --secrets <file>   NAME=value lines, mode 600 ($FACTUM_SECRETS, or "secrets" in the data folder)
  --no-open          do not open the workbench in a browser
  --help, -h
`

/** The options of `factum start`; what each does is told above. */
export const known = {
  port: { type: "string" },
  data: { type: "string" },
  project: { type: "string" },
  script: { type: "string" },
  cassette: { type: "string" },
  record: { type: "string" },
  host: { type: "string" },
  name: { type: "string" },
  origin: { type: "string", multiple: true },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  secrets: { type: "string" },
  "no-open": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

type Surroundings = {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  home: string
  /** Where the command was given: what paths are meant from. */
  cwd: string
}

export const here = (): Surroundings => ({
  env: process.env,
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
})

export function parseOptions(args: readonly string[], surroundings = here()): Parsed {
  // Not strict, since its own messages say more than a user can use.
  const { values, tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === "positional") return wrong(`${token.value} is not understood`)
    if (token.kind !== "option") continue
    const option = Object.hasOwn(known, token.name) ? known[token.name as keyof typeof known] : undefined
    if (option === undefined) return wrong(`There is no option ${token.rawName}`)
    if (option.type === "string" && !token.value) return wrong(`${token.rawName} needs a value`)
    if (option.type === "boolean" && token.value !== undefined)
      return wrong(`${token.rawName} takes no value`)
  }
  if (values.help) return { kind: "help" }
  const port = text(values.port)
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65535)) {
    return wrong(`${port} is no port: it is a number from 0 to 65535`)
  }
  const asked = [values.origin ?? []].flat().map(String)
  const origins = asked.flatMap((one) => originOf(one) ?? [])
  if (origins.length < asked.length) {
    const strange = asked.find((one) => originOf(one) === undefined)
    return wrong(`${strange} is no origin: it is written like https://chat.example.com, without a path`)
  }
  const base = surroundings.cwd
  const [script, cassette, record] = [text(values.script), text(values.cassette), text(values.record)]
  const [cert, key] = [text(values["tls-cert"]), text(values["tls-key"])]
  if ((cert === undefined) !== (key === undefined)) return wrong("--tls-cert and --tls-key go together")
  const directory = resolve(base, text(values.data) ?? dataDirectory(surroundings))
  const [address, name] = [text(values.host), text(values.name)]
  const secrets = text(values.secrets) ?? (surroundings.env.FACTUM_SECRETS || join(directory, "secrets"))
  return {
    kind: "start",
    directory,
    port: port === undefined ? usualPort : Number(port),
    orFree: port === undefined,
    open: !values["no-open"],
    script: script === undefined ? undefined : resolve(base, script),
    ...(cassette !== undefined && { cassette: resolve(base, cassette) }),
    ...(record !== undefined && { record: resolve(base, record) }),
    project: resolve(base, text(values.project) ?? "."),
    ...(address !== undefined && { address }),
    names: name === undefined ? [] : [name.toLowerCase()],
    ...(origins.length > 0 && { origins }),
    ...(cert !== undefined &&
      key !== undefined && { tls: { cert: resolve(base, cert), key: resolve(base, key) } }),
    secrets: resolve(base, secrets),
  }
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

function wrong(what: string): Parsed {
  return { kind: "wrong", message: `${what}; factum start --help tells what there is.` }
}

/** An empty variable counts as none. */
export function dataDirectory({ env, platform, home }: Omit<Surroundings, "cwd">): string {
  if (env.FACTUM_DATA) return env.FACTUM_DATA
  if (platform === "darwin") return join(home, "Library", "Application Support", "factum")
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "factum")
  return join(env.XDG_DATA_HOME || join(home, ".local", "share"), "factum")
}
