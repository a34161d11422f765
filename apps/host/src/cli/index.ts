import { writeSync } from "node:fs"
import { nearest } from "../config/problem.ts"
import { known } from "../options.ts"
import { start as startHosting } from "../run.ts"
import { version } from "../version.ts"
import { acp } from "./acp.ts"
import { answer } from "./answer.ts"
import { attach } from "./attach.ts"
import { type Command, exits, Misuse, perform, Stopped } from "./command.ts"
import { type Completed, completionOf } from "./completion.ts"
import { agents, mcp, tools } from "./describe.ts"
import { doctor } from "./doctor.ts"
import { exported } from "./export.ts"
import { init } from "./init.ts"
import { harmless } from "./paint.ts"
import { run } from "./run.ts"
import { sessions } from "./sessions.ts"
import { show } from "./show.ts"
import { tokens } from "./tokens.ts"
import { validate } from "./validate.ts"
import { isChinese } from "./words.ts"

const start: Completed = {
  name: "start",
  summary: "the host and its workbench, until Ctrl-C; also without any command",
  flags: Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type, help: "" }])),
}
const completion = completionOf(() => [start, ...commands])
const commands: readonly Command[] = [
  run,
  attach,
  answer,
  sessions,
  show,
  exported,
  validate,
  agents,
  tools,
  mcp,
  tokens,
  acp,
  init,
  doctor,
  completion,
]

/** The `factum` command. Sets the exit code, and ends the process unless a host goes on in it. */
export async function factum(args: readonly string[]): Promise<void> {
  const [name = "", ...rest] = args
  if (name === "--version") return console.log(`factum ${version}`)
  if (name === "--help" || name === "-h" || name === "help") return console.log(help())
  if (name === start.name || name === "" || name.startsWith("-")) {
    const code = await startHosting(name === start.name ? rest : args)
    // A host that started ends by itself, with a code of its own.
    process.exitCode = code
    return
  }
  const command = commands.find((one) => one.name === name)
  // An editor that is gone has ended the input as well, and the host is then closed in order.
  if (command !== acp) process.stdout.on("error", unwritable)
  const code = command === undefined ? unknown(name) : await performed(command, rest)
  await Promise.all([drained(process.stdout), drained(process.stderr)])
  process.exit(code)
}

/** A reader that has enough ends a command quietly, as in a shell; a place that takes nothing more is told of. */
function unwritable(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exits.unread)
  writeSync(
    2,
    `What was asked for could not be written: ${error.message}. Make room, or write it elsewhere.\n`,
  )
  process.exit(exits.failed)
}

async function performed(command: Command, args: readonly string[]): Promise<number> {
  try {
    return await perform(command, args)
  } catch (error) {
    if (error instanceof Misuse)
      return failed(
        `${error.message.replace(/\.$/, "")}; factum ${command.name} --help tells more.`,
        exits.usage,
      )
    if (error instanceof Stopped) return failed(error.message, error.code)
    throw error
  }
}

function unknown(name: string): number {
  const near = nearest(name, [start.name, ...commands.map((command) => command.name)])
  const guess = near === undefined ? "" : ` Did you mean ${near}?`
  return failed(`There is no command ${name}.${guess} factum --help lists them.`, exits.usage)
}

function failed(message: string, code: number): number {
  // It may quote a host, a file or a model.
  console.error(harmless(message))
  return code
}

/** What was written must be out before the process is ended. */
const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => (stream.writableLength === 0 ? resolve() : stream.write("", () => resolve())))

function help(): string {
  const chinese = isChinese()
  const rows = [start, ...commands].map(({ name, summary }) => `  ${name.padEnd(11)} ${summary}`)
  return [
    chinese
      ? "factum <命令> [选项]     运行智能体，并保留事实"
      : "factum <command> [options]     runs agents and keeps the truth about them",
    "",
    ...rows,
    "",
    "  factum <command> --help tells its options, factum --version the version.",
    "  A command works with the host of the same user that runs already, or with one of its own.",
    `  Exit codes: ${exits.answered} answered, ${exits.failed} failed, ${exits.usage} wrong use, ${exits.needsYou} needs you or was refused, ${exits.noHost} no host, ${exits.interrupted} interrupted.`,
    chinese
      ? '  开始：factum init，然后 factum run "<任务>"'
      : '  Begin with factum init, then factum run "<task>".',
  ].join("\n")
}
