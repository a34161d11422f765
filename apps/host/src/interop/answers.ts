import type { Refusal } from "@factum/facts"
import type { Runtime } from "@factum/runtime"
import { type Fact, newest, type Sender, type Submitted } from "./thread.ts"

/** What another protocol's user decided: yes or no, or a word of the action's own. */
export type Decided = {
  actionId: string
  decision: string
  payload?: Readonly<Record<string, unknown>>
  note?: string
}

/** How many actions one request may answer. */
export const mostAnswers = 100

/** Answers actions and tells where their turn goes on. What somebody else answered meanwhile stays answered. */
export async function respond(
  runtime: Runtime,
  sender: Sender,
  session: string,
  decided: readonly Decided[],
): Promise<Submitted> {
  for (const { actionId } of decided) {
    const input = { action_id: actionId, session_id: session }
    const refusal = sender.forbidden("respond_action", { input })
    if (refusal !== undefined) return { ok: false, refusal }
    if (!runtime.sessionsOf(actionId).includes(session)) return unknown(actionId)
  }
  const asked = await required(runtime, session, new Set(decided.map(({ actionId }) => actionId)))
  const missing = decided.find(({ actionId }) => !asked.has(actionId))
  if (missing !== undefined) return unknown(missing.actionId)
  const turn = asked.get(decided[0]?.actionId ?? "")?.turn_id
  if (turn === undefined) return refused("No answer was given.", session)
  for (const { actionId, decision, payload, note } of decided) {
    const outcome = await sender.execute("respond_action", {
      input: {
        action_id: actionId,
        session_id: session,
        decision: wordOf(asked.get(actionId)?.payload, decision),
        ...(payload && { payload }),
        ...(note && { note }),
      },
    })
    if (!outcome.ok && outcome.refusal.code !== "already_resolved") return outcome
  }
  // The reader has seen everything up to the last of these questions, and nothing after it.
  return { ok: true, session, turn, after: Math.max(...[...asked.values()].map(({ sequence }) => sequence)) }
}

/** Where these actions were asked for, found in one look. */
async function required(
  runtime: Runtime,
  session: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Fact>> {
  const found = new Map<string, Fact>()
  await newest(runtime, session, (fact) => {
    const { type, action_id } = fact
    if (type === "action.required" && action_id !== undefined && wanted.has(action_id))
      found.set(action_id, fact)
    return found.size === wanted.size
  })
  return found
}

type Choice = { id?: unknown; effect?: unknown }

/** The action's own word for a yes or a no that came in another protocol's. */
export function wordOf(request: Record<string, unknown> | undefined, decision: string): string {
  const choices: Choice[] = Array.isArray(request?.decisions) ? request.decisions : []
  const isListed = choices.some(({ id }) => id === decision)
  const effect = effects[decision]
  if (isListed || effect === undefined) return decision
  const found =
    choices.find((choice) => choice.effect === effect) ?? (effect === "allow" ? choices[0] : undefined)
  return typeof found?.id === "string" ? found.id : decision
}

const effects: Readonly<Record<string, "allow" | "deny">> = {
  approve: "allow",
  answer: "allow",
  reject: "deny",
  cancel: "deny",
}

const unknown = (id: string) => refused(`There is no action ${id} in this thread.`, id)

function refused(message: string, id: string): { ok: false; refusal: Refusal } {
  const fix = "Answer the actions that the last run of this thread ended with."
  return { ok: false, refusal: { code: "not_found", message, id, field: "action_id", fix } }
}
