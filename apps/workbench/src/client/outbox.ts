import { type Api, type Commands, type Reply, unreachable } from "./api.ts"
import { newId } from "./ids.ts"
import { backoff, sleep } from "./stream.ts"
import type { Pending } from "./view.ts"

export function newPending(text: string, session_id: string | undefined, behind: boolean): Pending {
  const pending = { turn_id: newId("trn"), command_id: newId("cmd"), text, behind }
  return session_id === undefined ? pending : { ...pending, session_id }
}

/** A refused command keeps its answer under its id, so asking again takes a new one. */
export function renewed({ refusal: _, ...pending }: Pending): Pending {
  return { ...pending, command_id: newId("cmd") }
}

/** Sends until something answers, under one command id: a command whose answer was lost is not done twice. */
export async function submit(
  api: Api,
  { turn_id, command_id, text, session_id }: Pending,
  thread_id: string | undefined,
): Promise<Reply<Commands["submit_turn"]["result"]>> {
  const input: Commands["submit_turn"]["input"] = {
    turn_id,
    input: [{ kind: "text", text }],
    source: "workbench",
  }
  if (session_id === undefined) input.create = "session"
  else input.session_id = session_id
  if (session_id !== undefined && thread_id !== undefined) input.thread_id = thread_id
  const never = new AbortController().signal
  for (let attempt = 0; ; attempt++) {
    const reply = await api.command("submit_turn", input, command_id)
    if (reply.ok || reply.refusal.code !== unreachable || attempt === 8) return reply
    await sleep(backoff(attempt), never)
  }
}
