import { createInterface } from "node:readline/promises"
import type { ActionCard, Intent } from "@factum/agent-ui"
import type { Bound } from "@factum/client"
import type { Interrupts } from "./interrupts.ts"
import { harmless } from "./paint.ts"
import type { Screen } from "./screen.ts"
import { say } from "./words.ts"

type Parts = { bound: Bound; screen: Screen; interrupts: Interrupts }

/** Asks the person at the terminal, one question at a time; one that somebody else answers is withdrawn. */
export class Asking {
  readonly #parts: Parts
  #current: { actionId: string; withdrawn: AbortController } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  ask(card: ActionCard, then: () => void): void {
    if (this.#current !== undefined) return
    const withdrawn = new AbortController()
    this.#current = { actionId: card.actionId, withdrawn }
    void this.#put(card, withdrawn.signal).finally(() => {
      this.#current = undefined
      then()
    })
  }

  /** Leaves a question that is not open any more. */
  withdraw(open: ReadonlySet<string>): void {
    if (this.#current !== undefined && !open.has(this.#current.actionId)) this.close()
  }

  close(): void {
    this.#current?.withdrawn.abort()
  }

  async #put(card: ActionCard, signal: AbortSignal): Promise<void> {
    const { screen, bound } = this.#parts
    screen.line(`? ${card.title ?? card.actionType}`, "yellow")
    if (card.summary !== undefined) screen.line(`  ${card.summary}`)
    if (card.input !== undefined) screen.line(indented(card.input.text))
    for (const step of card.plan?.steps ?? []) screen.line(`  - ${step.title}`)
    for (;;) {
      const intent = await this.#intent(card, signal).catch(() => undefined)
      if (signal.aborted || intent === undefined) return
      const result = await bound.intents.send(intent)
      if (result.status === "sent") {
        const word = intent.control === "reject" ? "refused" : "allowed"
        return screen.line(`  ${say(word)}`, "dim")
      }
      const problems = result.problems
        ?.map(({ path, keyword }) => `${path || "answer"}: ${keyword}`)
        .join("; ")
      screen.line(`  ${result.message ?? problems ?? result.code}`, "red")
      if (result.code === "not_open" || result.code === "already_resolved") return
    }
  }

  async #intent(card: ActionCard, signal: AbortSignal): Promise<Intent> {
    const { actionId } = card
    const offers = new Set(card.controls.map(({ control }) => control))
    if (!offers.has("approve")) return this.#answer(card, signal)
    for (;;) {
      const said = (await this.#read(`  ${say("allow")} `, signal)).trim().toLowerCase()
      if (said === "y" || said === "yes") return { control: "approve", actionId }
      if (said === "n" || said === "no") return { control: "reject", actionId }
      if (said === "e" || said === "explain") {
        const note = await this.#read(`  ${say("explain")}`, signal)
        return offers.has("edit")
          ? { control: "edit", actionId, data: { text: note }, note }
          : { control: "reject", actionId, note }
      }
      this.#parts.screen.line(`  ${say("letters")}`)
    }
  }

  /** The fields of an answer one by one; without fields, one line of text. */
  async #answer({ actionId, schema, options }: ActionCard, signal: AbortSignal): Promise<Intent> {
    const { screen } = this.#parts
    const fields = Object.keys((schema?.properties ?? {}) as object)
    for (const [index, { id, label }] of options.entries()) screen.line(`  ${index + 1}  ${label ?? id}`)
    if (fields.length === 0 && options.length > 1) {
      const said = (await this.#read(`  ${say("choose")}: `, signal)).trim()
      const chosen = options[Number(said) - 1] ?? options.find(({ id }) => id === said)
      return { control: "answer", actionId, ...(chosen && { option: chosen.id }) }
    }
    const data: Record<string, unknown> = {}
    for (const field of fields) data[field] = parsedOr(await this.#read(`  ${field}: `, signal))
    if (fields.length === 0) data.answer = await this.#read(`  ${say("answerHere")}`, signal)
    return { control: "answer", actionId, data }
  }

  async #read(question: string, signal: AbortSignal): Promise<string> {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    lines.on("SIGINT", () => this.#parts.interrupts.take())
    try {
      return await lines.question(harmless(question), { signal })
    } finally {
      lines.close()
    }
  }
}

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  | ${line}`)
    .join("\n")

/** Numbers, yes and no as JSON has them; everything else is text. */
function parsedOr(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" ? text : value
  } catch {
    return text
  }
}
