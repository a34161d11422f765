import type { CommandInput, CommandName, CommandResult, Refusal as HostRefusal } from "@factum/facts"
import { newId } from "./ids.ts"

export type Refusal = Omit<HostRefusal, "code"> & { code: HostRefusal["code"] | typeof unreachable }
export type Reply<R> = { ok: true; result: R } | { ok: false; refusal: Refusal }

export type SessionRow = {
  session_id: string
  title: string
  status: string
  updated_at: string
  /** How its last turn ended. */
  outcome?: string
}

/** What the host refused, in its words, and its name for the words of the page. */
export type Problem = { code: string; message: string }

export const problemOf = ({ code, message, fix }: Refusal): Problem => ({
  code,
  message: fix === undefined ? message : `${message} ${fix}`,
})

/** Nothing answered: whether the command was done is not known, so it may be sent again under its id. */
const unreachable = "unreachable"
const unavailable = "unavailable"

/** Nobody is there to decide, or a host that is closing: the same may be asked again later. */
export const isAway = ({ code }: { code: string }): boolean => code === unreachable || code === unavailable

export type Api = {
  command<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    command_id?: string,
  ): Promise<Reply<CommandResult<N>>>
  sessions(): Promise<Reply<{ sessions: SessionRow[] }>>
}

const answerWithin = 30_000

export function createApi(token: string, fetcher: typeof fetch = (...args) => fetch(...args)): Api {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }
  return {
    command: (name, input, command_id = newId("cmd")) => {
      const body = JSON.stringify({ command_id, input })
      return ask(fetcher, `/v1/commands/${name}`, { method: "POST", headers, body })
    },
    sessions: () => ask(fetcher, "/v1/sessions?limit=100", { headers }),
  }
}

async function ask<R>(fetcher: typeof fetch, url: string, init: RequestInit): Promise<Reply<R>> {
  try {
    const signal = AbortSignal.timeout(answerWithin)
    const response = await fetcher(url, { ...init, cache: "no-store", signal })
    const body: unknown = await response.json()
    if (isReply<R>(body)) return body
  } catch {
    // No connection, no answer in time, and an answer that is none come to the same.
  }
  return { ok: false, refusal: { code: unreachable, message: "The host did not answer." } }
}

/** The host answers from the same command table that types the result, so only the frame is checked. */
const isReply = <R>(body: unknown): body is Reply<R> =>
  typeof body === "object" && body !== null && "ok" in body && ("result" in body || "refusal" in body)
