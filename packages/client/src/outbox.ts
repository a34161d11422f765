import type { CommandInput, CommandResult } from "@factum/facts"
import type { Client } from "./client.ts"
import { newId } from "./ids.ts"
import { backoff, sleep } from "./pause.ts"
import { isAway, mayPass, type Problem, problemOf, type Reply } from "./reply.ts"

type Submission = CommandInput<"submit_turn">
type Accepted = CommandResult<"submit_turn">

/** A message on its way: kept through a reload, dropped as soon as the host has it. */
export type Pending = {
  turn_id: string
  command_id: string
  /** When it was sent, to give a refused one its place among the others. */
  sent_at: string
  /** What is sent, and sent again, unchanged. */
  input: Submission
  /** Another turn had the floor when it was sent, so it goes to the queue. */
  behind: boolean
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
  /** Also of a message that an earlier visit sent. */
  accepted: (pending: Pending, result: Accepted) => void
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

const never = new AbortController().signal
/** How often in a row a host may answer that it is unavailable before that is its answer. */
const mostAnswers = 5
const now = () => new Date(Date.now()).toISOString()

/** Sends messages one after another, each until something answers, always under the ids it was given first. */
export class Outbox {
  #ports: Required<OutboxPorts>
  #pending: readonly Pending[]
  #last: Promise<unknown> = Promise.resolve()

  constructor(ports: OutboxPorts) {
    this.#ports = { pause: sleep, ...ports }
    this.#pending = ports.shelf.load()
    for (const pending of this.#pending) if (pending.refusal === undefined) void this.#enqueue(pending)
  }

  get pending(): readonly Pending[] {
    return this.#pending
  }

  send(input: Submission, behind = false): Promise<Reply<Accepted>> {
    const { turn_id = newId("trn") } = input
    const pending = {
      turn_id,
      command_id: newId("cmd"),
      sent_at: now(),
      input: { ...input, turn_id },
      behind,
    }
    this.#keep(pending)
    return this.#enqueue(pending)
  }

  async retry(turn_id: string): Promise<void> {
    const found = this.#pending.find((pending) => pending.turn_id === turn_id)
    if (found?.refusal === undefined) return
    const { refusal: _, ...same } = found
    const again = { ...same, sent_at: now() }
    this.#keep(again)
    await this.#enqueue(again)
  }

  discard(turn_id: string): void {
    this.#ports.shelf.drop(turn_id)
    this.#pending = this.#pending.filter((pending) => pending.turn_id !== turn_id)
    this.#ports.changed()
  }

  #enqueue(pending: Pending): Promise<Reply<Accepted>> {
    const answer = this.#last.then(() => this.#deliver(pending))
    this.#last = answer
    return answer
  }

  async #deliver(pending: Pending): Promise<Reply<Accepted>> {
    const reply = await this.#submit(pending)
    if (!reply.ok) this.#keep({ ...pending, refusal: problemOf(reply.refusal), behind: false })
    else {
      this.#ports.accepted(pending, reply.result)
      this.discard(pending.turn_id)
    }
    return reply
  }

  async #submit({ input, command_id }: Pending): Promise<Reply<Accepted>> {
    let answers = 0
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#ports.client.command("submit_turn", input, { command_id })
      if (reply.ok || !mayPass(reply.refusal)) return reply
      answers = isAway(reply.refusal) ? 0 : answers + 1
      // A host that closes is gone soon; one that goes on refusing does not carry this out.
      if (answers === mostAnswers) return reply
      await this.#ports.pause(backoff(attempt), never)
    }
  }

  #keep(pending: Pending): void {
    this.#ports.shelf.put(pending)
    const { turn_id } = pending
    const isKnown = this.#pending.some((known) => known.turn_id === turn_id)
    this.#pending = isKnown
      ? this.#pending.map((known) => (known.turn_id === turn_id ? pending : known))
      : [...this.#pending, pending]
    this.#ports.changed()
  }
}
