import { parseArgs } from "node:util"
import { isAway, type Refusal } from "@factum/client"
import { type Options, parseOptions } from "../options.ts"

/** What the command tells the one who called it; the last two as shells tell of the signals. */
export const exits = {
  answered: 0,
  failed: 1,
  usage: 2,
  needsYou: 3,
  noHost: 4,
  interrupted: 130,
  unread: 141,
} as const

export type Flags = Readonly<
  Record<
    string,
    { type: "string" | "boolean"; multiple?: true; short?: string; help: string; value?: string }
  >
>
export type Given = {
  words: readonly string[]
  /** The value of an option, or nothing. */
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  has(name: string): boolean
}
export type Command = {
  name: string
  summary: string
  /** The words after the name. */
  usage?: string
  flags?: Flags
  /** Whether it works with the facts of a host, or only in their folder: it then takes the options that say which. */
  atHost?: true | "data"
  /** More words than these are a mistake. */
  most?: number
  least?: number
  run(given: Given, host: CommandOptions): Promise<number>
}

/** The options of a host, and which of them were said and not only usual. */
export type CommandOptions = Options & { stated: readonly string[] }

/** A mistake in how a command was called; told with the way to its help. */
export class Misuse extends Error {}
/** Something else that ends a command: what happened, why, and what to do next. */
export class Stopped extends Error {
  readonly code: number
  constructor(message: string, code: number = exits.failed) {
    super(message)
    this.code = code
  }
}

/** What a host refused, in its words. */
export const refused = (refusal: Pick<Refusal, "message" | "fix"> & { code: string }): Stopped =>
  new Stopped(
    [refusal.message, refusal.fix].filter(Boolean).join(" "),
    isAway(refusal) ? exits.noHost : exits.failed,
  )

/** Which facts, which project and which model a host of the command's own would have. */
const hostFlags: Flags = {
  data: {
    type: "string",
    value: "folder",
    help: "where facts are kept ($FACTUM_DATA, or the user's data folder)",
  },
  project: { type: "string", value: "folder", help: "where agents work (this folder)" },
  script: { type: "string", value: "file", help: "a script that takes the model's place, as JSON lines" },
  record: { type: "string", value: "file", help: "also write what models answer to a cassette" },
  cassette: { type: "string", value: "file", help: "play what was recorded in place of the models" },
  secrets: { type: "string", value: "file", help: "NAME=value lines, mode 600" },
}

export const flagsOf = ({ flags = {}, atHost }: Pick<Command, "flags" | "atHost">): Flags => ({
  ...flags,
  ...(atHost === true ? hostFlags : {}),
  ...(atHost === "data" && hostFlags.data ? { data: hostFlags.data } : {}),
  help: { type: "boolean", short: "h", help: "this text" },
})

export async function perform(command: Command, args: readonly string[]): Promise<number> {
  const flags = flagsOf(command)
  // Not strict, since its own messages say more than a user can use.
  const { values, tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(flags).map(([name, { type, multiple, short }]) => [
        name,
        { type, ...(multiple && { multiple }), ...(short !== undefined && { short }) },
      ]),
    ),
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined
    if (flag === undefined) throw new Misuse(`There is no option ${token.rawName}`)
    if (flag.type === "string" && !token.value) throw new Misuse(`${token.rawName} needs a value`)
    if (flag.type === "boolean" && token.value !== undefined)
      throw new Misuse(`${token.rawName} takes no value`)
  }
  if (values.help) {
    console.log(helpOf(command))
    return 0
  }
  const { least = 0, most = 0 } = command
  if (positionals.length < least) throw new Misuse(`${command.name} needs ${command.usage}`)
  const extra = positionals[most]
  if (extra !== undefined) throw new Misuse(`${extra} is not understood`)
  const texts = (name: string): string[] =>
    [values[name]].flat().flatMap((value) => (typeof value === "string" ? [value] : []))
  const given = {
    words: positionals,
    texts,
    text: (name: string) => texts(name)[0],
    has: (name: string) => values[name] === true,
  }
  return command.run(given, hostOptions(given, flags))
}

/** The same options as those of `start`, on a free port and without a browser. */
function hostOptions(given: Given, flags: Flags): CommandOptions {
  const named = Object.keys(hostFlags).filter((name) => Object.hasOwn(flags, name))
  const passed = named.flatMap((name) => given.texts(name).flatMap((value) => [`--${name}`, value]))
  const options = parseOptions([...passed, "--port", "0", "--no-open"])
  const stated = named.filter((name) => given.text(name) !== undefined)
  if (options.kind === "start") return { ...options, stated }
  throw new Misuse(options.kind === "wrong" ? options.message : "The options are not understood")
}

export function helpOf(command: Command): string {
  const rows = Object.entries(flagsOf(command)).map(([name, { value, short, help }]) => [
    `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`,
    help,
  ])
  const width = Math.max(...rows.map(([left = ""]) => left.length))
  const usage = [`factum ${command.name}`, command.usage, "[options]"].filter(Boolean).join(" ")
  return [
    usage,
    `  ${command.summary}`,
    "",
    ...rows.map(([left = "", help]) => `  ${left.padEnd(width)}  ${help}`),
  ].join("\n")
}
