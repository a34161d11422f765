import { type Fact, isFact } from "./facts.ts"
import { newId } from "./ids.ts"

export type Refusal = { code: string; message: string; field?: string; fix?: string }
export type Reply<R> = { ok: true; result: R } | { ok: false; refusal: Refusal }

type TextPart = { kind: "text"; text: string }
type QueuedTurnInput = { queued_turn_id: string; session_id: string; thread_id: string }

/** The commands of this page, by name. */
export type Commands = {
  submit_turn: {
    input: {
      session_id?: string
      thread_id?: string
      turn_id: string
      create?: "session" | "thread"
      input: readonly TextPart[]
      source: "workbench"
    }
    result: {
      session_id: string
      thread_id: string
      turn_id: string
      status: "accepted" | "queued"
      queued_turn_id?: string
    }
  }
  interrupt_turn: { input: { session_id: string; reason: string }; result: unknown }
  remove_queued_turn: { input: QueuedTurnInput; result: unknown }
  promote_queued_turn: { input: QueuedTurnInput; result: unknown }
  get_session: {
    input: { session_id: string; before?: string | number; limit?: number }
    result: { snapshot: { sequence: number }; history: Fact[]; next_cursor?: string | number }
  }
}

export type SessionRow = {
  session_id: string
  title: string
  status: string
  updated_at: string
  sequence: number
}

/** Nothing answered: whether the command was done is not known, so it may be sent again under its id. */
export const unreachable = "unreachable"
export const unauthorized = "unauthorized"

export type Api = {
  command<N extends keyof Commands>(
    name: N,
    input: Commands[N]["input"],
    command_id?: string,
  ): Promise<Reply<Commands[N]["result"]>>
  sessions(): Promise<Reply<readonly SessionRow[]>>
}

export function createApi(token: string, fetcher: typeof fetch = (...args) => fetch(...args)): Api {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }
  return {
    async command(name, input, command_id = newId("cmd")) {
      const body = JSON.stringify({ command_id, input })
      const reply = await ask(fetcher, `/v1/commands/${name}`, { method: "POST", headers, body })
      if (!reply.ok) return reply
      const envelope = reply.result as Reply<never>
      return envelope.ok ? { ok: true, result: checked(envelope.result) } : envelope
    },
    async sessions() {
      const reply = await ask(fetcher, "/v1/sessions?limit=50", { headers })
      if (!reply.ok) return reply
      const envelope = reply.result as
        | Reply<{ sessions: SessionRow[] }>
        | { ok?: never; sessions: SessionRow[] }
      if (envelope.ok === false) return envelope
      return { ok: true, result: "result" in envelope ? envelope.result.sessions : envelope.sessions }
    },
  }
}

async function ask(fetcher: typeof fetch, url: string, init: RequestInit): Promise<Reply<unknown>> {
  try {
    const response = await fetcher(url, init)
    if (response.status === 401) return refused(unauthorized, "The host refused the access token.")
    const body: unknown = await response.json()
    if (response.ok || isEnvelope(body)) return { ok: true, result: body }
    return refused(`http_${response.status}`, `The host answered ${response.status}.`)
  } catch {
    return refused(unreachable, "The host did not answer.")
  }
}

const refused = (code: string, message: string): Reply<never> => ({ ok: false, refusal: { code, message } })
const isEnvelope = (body: unknown): boolean => typeof body === "object" && body !== null && "ok" in body

function checked<R>(result: R): R {
  if (typeof result !== "object" || result === null || !("history" in result)) return result
  const history = Array.isArray(result.history) ? result.history.filter(isFact) : []
  return { ...result, history }
}
