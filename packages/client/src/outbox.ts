import type { CommandInput, CommandResult } from "@factum/facts"
import type { Client } from "./client.ts"
import { newId } from "./ids.ts"
import { backoff, sleep } from "./pause.ts"
import { isAway, type Problem, problemOf, type Reply } from "./reply.ts"

/** A message on its way: kept through a reload, dropped as soon as the log knows its turn. */
export type Pending = {
  turn_id: string
  command_id: string
  /** Absent for the first message of a session to be created. */
  session_id?: string
  thread_id?: string
  text: string
  /** Another turn had the floor when it was sent, so it goes to the queue. */
  behind: boolean
  /** When it was sent, to give a refused one its place among the others. */
  sent_at: string
  refusal?: Problem
}

/** Where messages wait for the next visit. */
export type Shelf = {
  load(): Pending[]
  put(pending: Pending): void
  drop(turn_id: string): void
}

export type OutboxPorts = {
  client: Pick<Client, "command">
  shelf: Shelf
  changed: () => void
  accepted: (pending: Pending, result: CommandResult<"submit_turn">) => void
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

const never = new AbortController().signal
const now = () => new Date(Date.now()).toISOString()

/** Sends messages one after another, each until something answers, always under the ids it was given first. */
export class Outbox {
  #ports: Required<OutboxPorts>
  #pending: readonly Pending[]
  #last: Promise<void> = Promise.resolve()

  constructor(ports: OutboxPorts) {
    this.#ports = { pause: sleep, ...ports }
    this.#pending = ports.shelf.load()
    for (const pending of this.#pending) if (pending.refusal === undefined) this.#enqueue(pending)
  }

  get pending(): readonly Pending[] {
    return this.#pending
  }

  send(text: string, to: { session_id?: string; thread_id?: string; behind: boolean }): void {
    const pending = { turn_id: newId("trn"), command_id: newId("cmd"), text, sent_at: now(), ...to }
    this.#keep(pending)
    this.#enqueue(pending)
  }

  retry(turn_id: string): void {
    const found = this.#pending.find((pending) => pending.turn_id === turn_id)
    if (found?.refusal === undefined) return
    const { refusal: _, ...same } = found
    const again = { ...same, sent_at: now() }
    this.#keep(again)
    this.#enqueue(again)
  }

  discard(turn_id: string): void {
    this.#ports.shelf.drop(turn_id)
    this.#pending = this.#pending.filter((pending) => pending.turn_id !== turn_id)
    this.#ports.changed()
  }

  #enqueue(pending: Pending): void {
    this.#last = this.#last.then(() => this.#deliver(pending))
  }

  async #deliver(pending: Pending): Promise<void> {
    const reply = await this.#submit(pending)
    if (!reply.ok) return this.#keep({ ...pending, refusal: problemOf(reply.refusal), behind: false })
    // The log has it now; it is shown from here only until the log is read.
    this.#ports.shelf.drop(pending.turn_id)
    this.#show({ ...pending, session_id: reply.result.session_id })
    this.#ports.accepted(pending, reply.result)
  }

  async #submit(pending: Pending): Promise<Reply<CommandResult<"submit_turn">>> {
    const { command_id } = pending
    const input = commandOf(pending)
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#ports.client.command("submit_turn", input, { command_id })
      if (reply.ok || !isAway(reply.refusal)) return reply
      await this.#ports.pause(backoff(attempt), never)
    }
  }

  #keep(pending: Pending): void {
    this.#ports.shelf.put(pending)
    this.#show(pending)
  }

  #show(pending: Pending): void {
    const { turn_id } = pending
    const isKnown = this.#pending.some((known) => known.turn_id === turn_id)
    this.#pending = isKnown
      ? this.#pending.map((known) => (known.turn_id === turn_id ? pending : known))
      : [...this.#pending, pending]
    this.#ports.changed()
  }
}

function commandOf({ turn_id, text, session_id, thread_id }: Pending): CommandInput<"submit_turn"> {
  const input = { turn_id, input: [{ kind: "text" as const, text }], source: "workbench" }
  if (session_id === undefined) return { ...input, create: "session" }
  return thread_id === undefined ? { ...input, session_id } : { ...input, session_id, thread_id }
}
