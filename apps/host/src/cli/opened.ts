import type { ActionCard } from "@factum/agent-ui"
import { type Bound, bind, type Client } from "@factum/client"
import { refused, Stopped } from "./command.ts"

/** A session as the views show it, once it is filled in. */
export async function openSession(client: Client, session_id: string): Promise<Bound> {
  const found = await client.command("get_session", { session_id, limit: 1 })
  if (!found.ok) throw refused(found.refusal)
  const bound = bind({ client, schedule: { everyMs: 20 } })
  const refusal = await bound.open(session_id)
  if (bound.store.getSnapshot().sessions.get(session_id)?.hydrated === 4) return bound
  bound.close()
  throw refusal === undefined ? new Stopped(`${session_id} could not be read.`) : refused(refusal)
}

/** How many of the newest sessions are looked through. */
const MOST = 500

export type OpenQuestion = { session_id: string; card: ActionCard }

/** What waits for a person, in all sessions that wait. */
export async function openQuestions(client: Client): Promise<OpenQuestion[]> {
  const listed = await client.sessions({ limit: MOST })
  if (!listed.ok) throw refused(listed.refusal)
  const found: OpenQuestion[] = []
  for (const { session_id, status } of listed.result.sessions) {
    if (!status.startsWith("waiting")) continue
    const bound = await openSession(client, session_id)
    const { pending } = bound.view("hitl", { sessionId: session_id })
    for (const card of pending) found.push({ session_id, card })
    bound.close()
  }
  return found
}
