import { type Client, isAway, newId, type Problem, type Refusal } from "@factum/client"

export type Said = {
  action_id: string
  decision: string
  payload?: Record<string, unknown>
  note?: string
}

/** What a person said to an action. It settles nothing: the action is open until the log says otherwise. */
export type Answer = {
  decision: string
  /** `sent`: the host took it, and its fact is on the way. */
  state: "sending" | "sent" | "refused"
  /** Why it was refused, and the part of the answer that is meant. */
  problem?: Problem & { field?: string }
}

export type AnswerPorts = {
  changed: () => void
  /** Nothing when the refusal is not one of the answer. */
  problemOf: (refusal: Refusal) => Problem | undefined
}

/** Answers on their way, one at a time for each action. */
export class Answers {
  #client: Client
  #ports: AnswerPorts
  #known: ReadonlyMap<string, Answer> = new Map()
  /** Answers that may have been done though nobody said so: sent again, they go under their first id. */
  #doubtful = new Map<string, string>()

  constructor(client: Client, ports: AnswerPorts) {
    this.#client = client
    this.#ports = ports
  }

  /** A new map with each change. */
  get known(): ReadonlyMap<string, Answer> {
    return this.#known
  }

  async send(session_id: string, said: Said): Promise<void> {
    const { action_id, decision } = said
    const before = this.#known.get(action_id)
    if (before !== undefined && before.state !== "refused") return
    this.#show(action_id, { decision, state: "sending" })
    const text = JSON.stringify(said)
    const command_id = this.#doubtful.get(text) ?? newId("cmd")
    const reply = await this.#client.command("respond_action", { session_id, ...said }, { command_id })
    if (reply.ok) return this.#show(action_id, { decision, state: "sent" })
    const { refusal } = reply
    if (isAway(refusal)) this.#doubtful.set(text, command_id)
    const problem = this.#ports.problemOf(refusal)
    const { field } = refusal
    const told = problem && { problem: field === undefined ? problem : { ...problem, field } }
    this.#show(action_id, { decision, state: "refused", ...told })
  }

  #show(action_id: string, answer: Answer): void {
    this.#known = new Map(this.#known).set(action_id, answer)
    this.#ports.changed()
  }
}
