import { type CommandName, type CommandResult, isCommandName } from "@factum/facts"
import { type Actor, signed } from "./actor.ts"
import { answer, claimOf, firstAnswer, notWritten } from "./answers.ts"
import type { Cell, Cells } from "./cells.ts"
import { type Command, type CommandOf, parseCommand } from "./commands.ts"
import { noChannel } from "./control/channels.ts"
import { type DecidedName, decide, decidedNames, isDecided, sessionOf, unavailable } from "./control/table.ts"
import { commandKey, type Decision, type Given, reject } from "./decision.ts"
import { type EnvironmentPorts, getExecutionEnvironment } from "./environment-read.ts"
import { historyFacts } from "./history.ts"
import { getToolInventory } from "./inventory.ts"
import {
  decidePermission,
  type JudgingPorts,
  judgeFor,
  type PermissionCommand,
} from "./permission-commands.ts"
import type { FactLog } from "./ports/log.ts"
import { createProcessCommands, type ProcessPorts } from "./process-commands.ts"
import { getSession, getThreadRead, noSession } from "./reads.ts"
import type { Redactor } from "./redact.ts"
import type { Outcome, Runtime } from "./runtime.ts"

export type ExecutePorts = JudgingPorts &
  EnvironmentPorts &
  Omit<ProcessPorts, "answered"> & {
    cells: Cells
    log: FactLog
    given: Given
    runtime_id: string
    /** Told of each session that a command may have changed. */
    wake: (session_id: string) => void
    redactor: Redactor
    /** What peers acknowledged since their last fact. */
    moved: Map<string, number>
    /** The cursors at which they came. */
    came: Map<string, number>
  }

/** How often a command is decided again when another one took its ids in the meantime. */
const mostTries = 8

type Doers<N extends CommandName> = {
  readonly [K in N]: (command: CommandOf<K>, by: Actor | undefined) => Promise<Outcome>
}

/** Checks, decides and commits commands; answers reads from the state. `commands` are those that it carries out. */
export function createExecute(ports: ExecutePorts): Pick<Runtime, "execute" | "commands"> {
  const { cells, log, given, runtime_id, wake, moved, came, redactor } = ports
  const onProcess = createProcessCommands({ ...ports, answered })

  /** The commands that take more than a session's state: reads, judgements, and what is done to processes. */
  const apart = {
    get_session: async ({ input }) => answer(getSession(input, cells.peek(input.session_id), log)),
    get_thread_read: async ({ input }) => answer(getThreadRead(input, cells.peek(input.session_id), given)),
    get_tool_inventory: async ({ input }) =>
      answer(await getToolInventory(input, cells.peek(input.session_id), given, ports.agent)),
    get_execution_environment: async ({ input }) =>
      answer(await getExecutionEnvironment(input, cells.peek(input.session_id), given, ports)),
    evaluate_permission: async (command, by) => answered(command) ?? onPermission(command, by),
    resolve_permission: async (command, by) => answered(command) ?? onPermission(command, by),
    write_process_stdin: onProcess,
    terminate_process: onProcess,
  } satisfies Partial<Doers<CommandName>>
  type ApartName = keyof typeof apart
  const isApart = (command: Command): command is CommandOf<ApartName> => Object.hasOwn(apart, command.name)
  function doApart<N extends ApartName>(command: CommandOf<N>, by: Actor | undefined): Promise<Outcome> {
    const table: Doers<ApartName> = apart
    const perform: Doers<N>[N] = table[command.name]
    return perform(command, by)
  }

  return { execute, commands: [...decidedNames, ...Object.keys(apart).filter(isCommandName)].sort() }

  async function execute(name: string, body: unknown, by?: Actor): Promise<Outcome> {
    const parsed = parseCommand(name, body)
    if (!parsed.ok) return parsed
    const { command } = parsed
    const secret = secretId(command, given)
    if (secret !== undefined) {
      return reject("invalid_input", "An id must not look like a secret.", { field: secret })
    }
    if (isApart(command)) return doApart(command, by)
    if (!isDecided(command)) return unavailable(command.name)
    for (let tries = 0; tries < mostTries; tries++) {
      const outcome = await attempt(command, by)
      if (outcome !== "again") return outcome
    }
    return reject("conflict", "Other commands with the same ids came in between.", { fix: "Send it again." })
  }

  /** Judged outside of the line, because that looks at files; decided in it. */
  async function onPermission(command: PermissionCommand, by: Actor | undefined): Promise<Outcome> {
    const judged = await judgeFor(command, ports, cells.peek, given)
    if (!judged.ok) return answer(judged)
    const { session_id } = judged
    const outcome = await cells.inLine(session_id, (cell) =>
      carryOut(command, cell, by, () => decidePermission(command, cell.state, judged, given)),
    )
    if (outcome === "again")
      return reject("conflict", "The same command was sent twice.", { fix: "Send it again." })
    if (outcome.ok) wake(session_id)
    return outcome
  }

  async function attempt(command: CommandOf<DecidedName>, by: Actor | undefined): Promise<Outcome | "again"> {
    const earlier = answered(command)
    if (earlier !== undefined) return earlier
    const session_id = sessionOf(command, given)
    if (session_id === undefined && command.name === "respond_action") {
      const { action_id } = command.input
      const more = { field: "input.action_id", id: action_id }
      return reject("not_found", `No action ${action_id} is known.`, more)
    }
    if (session_id === undefined && "channel_id" in command.input) {
      return answer(noChannel(command.input.channel_id))
    }
    if (session_id === undefined) {
      const fix = 'Name a session, or say create: "session".'
      return reject("invalid_input", "No session is named.", { field: "input.session_id", fix })
    }
    if (session_id === runtime_id) return answer(noSession(session_id))
    const outcome = await cells.inLine(session_id, (cell) =>
      carryOut(command, cell, by, () => decide(command, cell.session_id, cell.state, given)),
    )
    if (outcome !== "again" && outcome.ok) wake(session_id)
    return outcome
  }

  /** The answer to a command that was carried out before under the same id. */
  function answered({ command_id, digest }: Command): Outcome | undefined {
    const text = command_id === undefined ? undefined : log.claimed(commandKey(command_id))
    return text === undefined ? undefined : firstAnswer(text, digest)
  }

  /** An acknowledgement moves a cursor in memory, and a channel that is resumed begins anew. */
  function settled({ name, input }: Command, result: unknown): Outcome {
    if (name === "ack_events") {
      // The table pairs the name with this result.
      moved.set(input.channel_id, (result as CommandResult<"ack_events">).acknowledged)
    } else if (name === "reconnect_channel") {
      moved.set(input.channel_id, input.cursor)
      came.set(input.channel_id, (result as CommandResult<"reconnect_channel">).cursor)
    }
    return { ok: true, result }
  }

  async function carryOut(
    command: Command,
    cell: Cell,
    by: Actor | undefined,
    decideNow: () => Decision,
  ): Promise<Outcome | "again"> {
    const earlier = answered(command)
    if (earlier !== undefined) return earlier
    const decision = decideNow()
    if (!decision.ok) return answer(decision)
    // It is kept beside the facts, and holds no more than they may.
    const result = redactor.deep(decision.result).value
    const own = claimOf(command, { ok: true, result })
    const rebuilt = decision.facts.length > 0 || isWaiting(result) ? historyFacts(cell, command.name) : []
    const before = command.name === "resume_thread" ? rebuilt : []
    const facts = [...before, ...signed(decision.facts, by)]
    const done = await cells.commit(cell, facts, [...own, ...decision.claims])
    if (done.ok) return settled(command, result)
    // In another session the same command, or another one with the same ids, was first.
    return done.code === "claimed" ? "again" : notWritten(done)
  }
}

const isWaiting = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "status" in result && result.status === "still_waiting"

const idFields = ["session_id", "thread_id", "turn_id", "queued_turn_id"] as const

/** Ids are never masked, so what looks like a secret must not become one. */
function secretId({ command_id, input }: Command, given: Given): string | undefined {
  if (command_id !== undefined && given.mask(command_id) !== command_id) return "command_id"
  const values: Readonly<Record<string, unknown>> = input
  const found = idFields.find((field) => {
    const value = values[field]
    return typeof value === "string" && given.mask(value) !== value
  })
  return found === undefined ? undefined : `input.${found}`
}
