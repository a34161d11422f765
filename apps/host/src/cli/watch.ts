import { changeLocal, type ProcessRow } from "@factum/agent-ui"
import { type Bound, bind } from "@factum/client"
import { Asking } from "./asking.ts"
import { exits, refused } from "./command.ts"
import { Contact } from "./contact.ts"
import { printFacts } from "./facts.ts"
import { Interrupts } from "./interrupts.ts"
import { hasColour, painter } from "./paint.ts"
import type { Reached } from "./reach.ts"
import { Screen } from "./screen.ts"
import { say } from "./words.ts"

export type Watched = {
  session_id: string
  turn_id: string
  /** Facts as JSON lines instead of a picture. */
  json?: boolean
  /** Where the printed facts begin. */
  after?: number
}

const EVERY_MS = 40
const CATCHING_UP_MS = 10_000

/** Shows a turn until it ended, waits for somebody who is not here, or was left. Gives the exit code. */
export async function watchTurn(reached: Reached, watched: Watched): Promise<number> {
  const { session_id: sessionId, turn_id: runId, json = false } = watched
  const paint = painter(hasColour(process.stderr))
  const live = !json && process.stderr.isTTY === true && process.env.TERM !== "dumb"
  const screen = new Screen({ out: process.stdout, err: process.stderr, live }, paint)
  const interactive = !json && process.stdin.isTTY === true && process.stderr.isTTY === true
  const ended = Promise.withResolvers<number>()
  const gone = Promise.withResolvers<never>()
  // It may end while nobody waits for it.
  gone.promise.catch(ended.reject)
  const contact = new Contact({
    url: reached.url,
    session_id: sessionId,
    line: (text) => screen.line(text),
    over: gone.reject,
  })
  const bound = bind({
    client: reached.client,
    schedule: { everyMs: EVERY_MS },
    onConnection: (_, connection) => contact.see(connection),
  })
  bound.store.update((state) => changeLocal(state, { kind: "expand", id: runId, where: "inline" }))
  const interrupts = new Interrupts({
    first() {
      screen.line(say("interrupting"))
      void bound.intents.send({ control: "interrupt", sessionId, runId, reason: "Ctrl-C" })
    },
    second() {
      screen.line(`${say("detached")} factum attach ${sessionId}`)
      ended.resolve(exits.interrupted)
    },
  })
  const asking = new Asking({ bound, screen, interrupts })
  const facts = json ? printFacts(reached.client, sessionId, watched.after ?? 0, contact.see) : undefined

  let isFinishing = false
  let isSticking = false
  /** What waits has been told, and nobody is here to act on it. */
  let isTold = false
  /** A read model may know of the end before the facts of the answer are here. */
  async function finish(): Promise<void> {
    await opened
    await caughtUp(reached, bound, sessionId)
    look()
    const status = bound.view("runtime_status", { sessionId, runId })
    const code = endOf(status.status) ?? exits.failed
    if (status.failure !== undefined && !json) {
      const { category, message = say("failed"), next } = status.failure
      const cause = category === "output_limit" || category === "content_filter" ? say(category) : ""
      screen.line([cause, message, next].filter(Boolean).join(" "), "red")
    }
    const wasRefused = code === exits.answered && isRefused(bound, sessionId, runId)
    ended.resolve(wasRefused ? exits.needsYou : code)
  }

  /** Told once that nothing but somebody's act elsewhere lets it go on, after what follows is here. */
  async function stick(): Promise<void> {
    await opened
    await caughtUp(reached, bound, sessionId)
    isSticking = false
    if (isFinishing || !isStuck()) return look()
    const { detail } = bound.view("runtime_status", { sessionId, runId })
    isTold = true
    screen.line(detail ?? say("stuck"), "red")
    screen.line(`${say("mended")} factum attach ${sessionId}`)
    ended.resolve(exits.needsYou)
  }

  /** Blocked with nothing to answer, in the runtime's own word: a wait for time or for an answer is another one. */
  function isStuck(): boolean {
    const { pending } = bound.view("hitl", { sessionId })
    const isOpen = pending.some((card) => card.status === "pending" && card.runId === runId)
    return !isOpen && bound.view("runtime_status", { sessionId, runId }).runtimeStatus === "blocked"
  }

  function look(): void {
    const scope = { sessionId, runId }
    const status = bound.view("runtime_status", scope)
    const rows = rowsOf(bound, sessionId, runId)
    const messages = bound
      .view("conversation", { sessionId })
      .messages.filter((message) => message.role === "assistant" && message.runId === runId)
    const { pending } = bound.view("hitl", { sessionId })
    const open = pending.filter((card) => card.status === "pending" && card.runId === runId)
    asking.withdraw(new Set(open.map(({ actionId }) => actionId)))
    if (!asking.busy && !json) screen.draw(rows, messages, status)
    if (endOf(status.status) !== undefined) {
      if (!isFinishing) finish().catch(ended.reject)
      isFinishing = true
      return
    }
    if (isTold) return
    const [card] = open
    if (card === undefined) {
      if (isSticking || !isStuck()) return
      isSticking = true
      stick().catch(ended.reject)
      return
    }
    if (interactive) {
      asking.ask(card, look)
      return
    }
    const isWorking = rows.some(({ tool }) => tool?.status === "running" || tool?.status === "progress")
    if (status.status !== "blocked" || isWorking) return
    isTold = true
    for (const { actionId, title, input } of open) {
      screen.line(`${title ?? actionId} ${say("waits")}`, "yellow")
      if (input !== undefined) screen.line(input.text)
      const choices = card.options.map(({ id }) => id).join("|") || "<decision>"
      screen.line(`${say("later")} factum answer ${actionId} ${choices}`)
    }
    ended.resolve(exits.needsYou)
  }

  const opened = bound.open(sessionId)
  const unsubscribe = bound.store.subscribe(look)
  try {
    const refusal = await opened
    if (refusal !== undefined) throw refused(refusal)
    look()
    const code = await ended.promise
    const isAsked = interrupts.count > 0 && code !== exits.answered
    const applied = bound.store.getSnapshot().streams.get(sessionId)?.applied ?? 0
    await Promise.race([facts?.until(applied), gone.promise])
    return isAsked ? exits.interrupted : code
  } finally {
    contact.close()
    unsubscribe()
    asking.close()
    interrupts.close()
    facts?.close()
    screen.end()
    bound.close()
  }
}

/** Until what the host has of the session now is here, or for as long as a slow host may take. */
async function caughtUp({ client }: Reached, { store }: Bound, session_id: string): Promise<void> {
  const read = await client.command("get_session", { session_id, limit: 1 })
  if (!read.ok) return
  const { sequence } = read.result.snapshot
  const isHere = () => (store.getSnapshot().streams.get(session_id)?.applied ?? 0) >= sequence
  const { promise, resolve } = Promise.withResolvers<void>()
  const unsubscribe = store.subscribe(() => isHere() && resolve())
  const patience = setTimeout(resolve, CATCHING_UP_MS)
  if (!isHere()) await promise
  clearTimeout(patience)
  unsubscribe()
}

/** What a run did, also once it has ended, where its process was asked to be expanded. */
export function rowsOf(bound: Bound, sessionId: string, runId: string): readonly ProcessRow[] {
  const { rows, archived } = bound.view("inline_process", { sessionId, runId })
  return rows.length > 0 ? rows : (archived.find((summary) => summary.runId === runId)?.rows ?? [])
}

function endOf(status: string): number | undefined {
  if (status === "done") return exits.answered
  if (status === "failed" || status === "unknown") return exits.failed
  if (status === "cancelled" || status === "interrupted") return exits.interrupted
  return undefined
}

/** Whether a person said no to something that this turn asked for. */
function isRefused(bound: Bound, sessionId: string, runId: string): boolean {
  const { settled } = bound.view("hitl", { sessionId })
  return settled.some(
    (card) =>
      card.runId === runId &&
      card.options.some(
        ({ id, description }) => id === card.decision && (description === "deny" || id === "deny"),
      ),
  )
}
