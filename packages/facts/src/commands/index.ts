import type { z } from "zod"
import { actionCommands } from "./actions.ts"
import { channelCommands } from "./channels.ts"
import type { CommandDefinition } from "./define-command.ts"
import { exportCommands } from "./exports.ts"
import { jobCommands } from "./jobs.ts"
import { permissionCommands } from "./permissions.ts"
import { processCommands } from "./processes.ts"
import { queueCommands } from "./queue.ts"
import { readCommands } from "./reads.ts"
import { subagentCommands } from "./subagents.ts"
import { taskCommands } from "./tasks.ts"
import { turnCommands } from "./turns.ts"

/** The control plane: one table, keyed by name. */
export const commands = {
  ...turnCommands,
  ...taskCommands,
  ...actionCommands,
  ...queueCommands,
  ...readCommands,
  ...subagentCommands,
  ...exportCommands,
  ...permissionCommands,
  ...processCommands,
  ...jobCommands,
  ...channelCommands,
} as const satisfies Record<string, CommandDefinition>

export type CommandName = keyof typeof commands
export type CommandInput<N extends CommandName> = z.infer<(typeof commands)[N]["input"]>
export type CommandResult<N extends CommandName> = z.infer<(typeof commands)[N]["result"]>

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name)
