import type { Refusal } from "@factum/facts"
import type { Runtime } from "@factum/runtime"
import { type Execute, newest, type Submitted } from "./thread.ts"

/** What another protocol's user decided: yes or no, or a word of the action's own. */
export type Decided = {
  actionId: string
  decision: string
  payload?: Readonly<Record<string, unknown>>
  note?: string
}

/** Answers actions and tells where their turn goes on. What somebody else answered meanwhile stays answered. */
export async function respond(
  runtime: Runtime,
  execute: Execute,
  session: string,
  decided: readonly Decided[],
): Promise<Submitted> {
  const asked = decided.map(({ actionId }) =>
    newest(runtime, session, (fact) => fact.type === "action.required" && fact.action_id === actionId),
  )
  const unknown = decided[asked.indexOf(undefined)]
  if (unknown) return refused(`There is no action ${unknown.actionId} in this thread.`, unknown.actionId)
  const turn = asked[0]?.turn_id
  if (turn === undefined) return refused("No answer was given.", session)
  for (const [index, { actionId, decision, payload, note }] of decided.entries()) {
    const outcome = await execute("respond_action", {
      input: {
        action_id: actionId,
        session_id: session,
        decision: wordOf(asked[index]?.payload, decision),
        ...(payload && { payload }),
        ...(note && { note }),
      },
    })
    if (!outcome.ok && outcome.refusal.code !== "already_resolved") return outcome
  }
  // The reader has seen everything up to the last of these questions, and nothing after it.
  return { ok: true, session, turn, after: Math.max(...asked.map((fact) => fact?.sequence ?? 0)) }
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

function refused(message: string, id: string): { ok: false; refusal: Refusal } {
  const fix = "Answer the actions that the last run of this thread ended with."
  return { ok: false, refusal: { code: "not_found", message, id, field: "action_id", fix } }
}
