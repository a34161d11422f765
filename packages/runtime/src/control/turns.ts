import type { CommandInput, CommandResult, SessionState } from "@factum/facts"
import { digestOf } from "../commands.ts"
import { accept, claimPlace, type Decision, type Draft, type Given, type Place, reject } from "../decision.ts"
import { Demands } from "../execution/demands.ts"
import { modes } from "../policy/types.ts"
import { wrongInput } from "./attachments.ts"
import { endTurn } from "./loop.ts"
import { steerTurn } from "./steer.ts"
import { activeTurn, misplaced, queueOf } from "./thread-view.ts"

type Submit = CommandInput<"submit_turn">

/** `state` is that of the session named, or of the one to be created, whose id comes with it. */
export function submitTurn(
  command: Submit,
  session_id: string,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"submit_turn">> {
  if (command.when === "steer") return steerTurn(command, session_id, state, given)
  const turn_id = command.turn_id ?? given.id("turn")
  const before = given.place(turn_id)
  if (before !== undefined) return repeated(turn_id, before, session_id, command, state)

  const wrong = wrongInput(command.input, given) ?? wrongDemands(command) ?? wrongMode(command)
  if (wrong !== undefined) return wrong
  const exists = state.entities.sessions[session_id] !== undefined
  if (!exists && (command.create !== "session" || state.sequence > 0)) {
    return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
  }
  if (exists && command.create === "session") {
    const fix = 'Leave "create" out, or say create: "thread".'
    return reject("conflict", `${session_id} exists already.`, { field: "session_id", id: session_id, fix })
  }
  const thread = chooseThread(command, session_id, state, given)
  if (!thread.ok) return thread
  const { thread_id, isNew } = thread

  const facts: Draft[] = []
  const claims = [claimPlace(turn_id, { kind: "turn", session_id, thread_id, digest: asked(command) })]
  const inThread = { session_id, thread_id }
  if (!exists) facts.push({ type: "session.created", session_id, payload: created(command, given) })
  if (isNew) {
    facts.push({ type: "thread.started", ...inThread, payload: {} })
    claims.push(claimPlace(thread_id, { kind: "thread", ...inThread }))
  }
  const source = command.source ?? "client"
  facts.push({
    type: "turn.submitted",
    ...inThread,
    turn_id,
    payload: { input: command.input, source, ...optional(command) },
  })
  if (isNew || activeTurn(state, thread_id) === undefined) {
    return accept({ session_id, thread_id, turn_id, status: "accepted" }, facts, claims)
  }
  const queued_turn_id = given.id("queued")
  const { order, policy } = queueOf(state, thread_id)
  facts.push({
    type: "queue.changed",
    ...inThread,
    payload: {
      change: "enqueued",
      queued_turn_id,
      order: [...order, { queued_turn_id, turn_id, source, state: "waiting" }],
      policy,
    },
  })
  claims.push(claimPlace(queued_turn_id, { kind: "queued", ...inThread }))
  return accept({ session_id, thread_id, turn_id, status: "queued", queued_turn_id }, facts, claims)
}

/** A demand that is misread would let a turn complete that should not. */
function wrongDemands({ options }: Submit) {
  const [issue] = Demands.safeParse(options?.demands ?? {}).error?.issues ?? []
  if (issue === undefined) return undefined
  const field = ["options.demands", ...issue.path.map(String)].join(".")
  return reject("invalid_input", issue.message, { field, fix: "Say what artifact or evidence is demanded." })
}

/** A mode that nobody knows would be worked on under another one. */
function wrongMode({ options }: Submit) {
  if (options?.mode === undefined || modes.some((mode) => mode === options.mode)) return undefined
  const fix = `The modes are ${modes.join(", ")}; one that is stricter than the host's holds for the turn.`
  return reject("invalid_input", "There is no such mode.", { field: "options.mode", fix })
}

function created(command: Submit, given: Given) {
  const title = titleOf(command, given)
  return given.workspace === undefined ? { title } : { title, metadata: { workspace: given.workspace } }
}

function chooseThread(command: Submit, session_id: string, state: SessionState, given: Given) {
  if (command.thread_id === undefined) {
    const first = Object.keys(state.entities.threads)[0]
    if (first !== undefined && command.create === undefined)
      return { ok: true as const, thread_id: first, isNew: false }
    if (command.create === undefined) {
      return reject("invalid_input", "Name a thread, or say create: thread.", { field: "thread_id" })
    }
    return { ok: true as const, thread_id: given.id("thread"), isNew: true }
  }
  const { thread_id } = command
  if (state.entities.threads[thread_id] !== undefined) return { ok: true as const, thread_id, isNew: false }
  if (given.place(thread_id) === undefined && command.create !== undefined) {
    return { ok: true as const, thread_id, isNew: true }
  }
  return (
    misplaced(given, thread_id, "thread_id", { session_id }) ??
    reject("not_found", `No thread ${thread_id}.`, { field: "thread_id" })
  )
}

/** The caller's own turn id makes a submission repeatable: the same turn is returned, nothing is added. */
function repeated(
  turn_id: string,
  before: Place,
  wanted_session: string,
  command: Submit,
  state: SessionState,
): Decision<CommandResult<"submit_turn">> {
  const { kind, session_id, thread_id, digest } = before
  const at = { field: "turn_id", id: turn_id }
  if (kind !== "turn" || session_id !== wanted_session || thread_id !== (command.thread_id ?? thread_id))
    return reject("scope_mismatch", `${turn_id} stands for something else already.`, at)
  // Another request under the same id would otherwise be acknowledged and never carried out.
  if (digest !== undefined && digest !== asked(command)) {
    const fix = "Give the new request a turn id of its own, or leave the id out."
    return reject("conflict", `${turn_id} was submitted with other input.`, { ...at, fix })
  }
  const waiting = queueOf(state, thread_id).order.find((entry) => entry.turn_id === turn_id)
  const turn = { session_id, thread_id, turn_id }
  if (waiting === undefined) return accept({ ...turn, status: "accepted" })
  return accept({ ...turn, status: "queued", queued_turn_id: waiting.queued_turn_id })
}

/** The same for submissions that ask for the same. */
function asked({ input, context, options, metadata }: Submit): string {
  return digestOf("submit_turn", { input, context, options, metadata })
}

export function interruptTurn(
  command: CommandInput<"interrupt_turn">,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"interrupt_turn">> {
  const { session_id, thread_id, turn_id, reason } = command
  if (state.entities.sessions[session_id] === undefined) {
    return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
  }
  const wrong =
    (thread_id !== undefined ? misplaced(given, thread_id, "thread_id", { session_id }) : undefined) ??
    (turn_id !== undefined ? misplaced(given, turn_id, "turn_id", { session_id, thread_id }) : undefined)
  if (wrong !== undefined) return wrong
  const threads = thread_id === undefined ? Object.keys(state.entities.threads) : [thread_id]
  const active = threads
    .map((thread) => activeTurn(state, thread))
    .filter((turn) => turn !== undefined)
    .filter((turn) => turn_id === undefined || turn.turn_id === turn_id)
  if (active.length === 0) return accept({ status: "no_op", turn_ids: [] })
  const cancelled = { status: "cancelled", category: "interrupted", reason, by: "user" } as const
  const facts = active.flatMap((turn) => endTurn(state, turn.turn_id, cancelled))
  return accept({ status: "accepted", turn_ids: active.map((turn) => turn.turn_id) }, facts)
}

function optional(command: Submit) {
  return {
    ...(command.context === undefined ? {} : { context: command.context }),
    ...(command.options === undefined ? {} : { options: command.options }),
    ...(command.metadata === undefined ? {} : { metadata: command.metadata }),
  }
}

/** Masked before it is cut: half a secret would no longer be known as one. */
function titleOf(command: Submit, given: Given): string {
  if (command.title !== undefined) return command.title
  const first = command.input.find((part) => part.kind === "text")
  const line = given.mask(first?.kind === "text" ? (first.text.trim().split("\n")[0] ?? "") : "")
  return line.length > 60 ? `${[...line].slice(0, 59).join("")}…` : line || "New session"
}
