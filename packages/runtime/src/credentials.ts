import type { Ref, SessionState } from "@factum/facts"
import { type Refused, reject } from "./decision.ts"
import { parentOf } from "./delegation/link.ts"
import { type Redactor, shortestSecret } from "./redact.ts"

export type CredentialGift = { session_id: string; name: string; value: string }

/** Values that people gave for a session. In memory only: after a restart they are asked for again. */
export type Credentials = {
  keep(gift: CredentialGift): { ok: true; ref: Ref } | Refused
  find(uri: string): { session_id: string; name: string } | undefined
  /** Those that were given as an answer, by the variable that processes find them in. */
  environment(session_id: string, state: SessionState): Readonly<Record<string, string>>
}

const mostKept = 1_000

export function createCredentials(redactor: Redactor): Credentials {
  const kept = new Map<string, CredentialGift>()
  return {
    keep(gift) {
      const { name, value } = gift
      if (value.length < shortestSecret) {
        const message = `A credential has at least ${shortestSecret} characters; a shorter one could not be kept out of texts.`
        return reject("invalid_input", message, { field: "value" })
      }
      if (kept.size >= mostKept)
        return reject("too_large", `${mostKept} credentials are kept already.`, { fix: "Restart the host." })
      // Before anything else: from here on no fact can hold it.
      redactor.learn(name, value)
      const uri = `capability:credential/${crypto.randomUUID()}`
      kept.set(uri, gift)
      return { ok: true, ref: { uri, kind: "record", title: name } }
    },
    find(uri) {
      const gift = kept.get(uri)
      return gift === undefined ? undefined : { session_id: gift.session_id, name: gift.name }
    },
    environment(session_id, state) {
      // A person may give it where the parent works; it still goes only to the child that asked.
      const homes = [session_id, parentOf(state)?.session_id]
      const given = Object.values(state.entities.actions).flatMap(({ request, resolution, subagent_id }) => {
        if (subagent_id !== undefined) return []
        const asked = request?.action_type === "credential_request" && resolution?.reason === "answered"
        const gift = asked ? kept.get(resolution.answer_ref?.uri ?? "") : undefined
        return gift !== undefined && homes.includes(gift.session_id) ? [[gift.name, gift.value]] : []
      })
      return Object.fromEntries(given)
    },
  }
}
