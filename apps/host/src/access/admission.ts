import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Refusal } from "@factum/facts"
import { type Grant, owner } from "./grant.ts"
import { type Rate, RateLimit } from "./rate.ts"
import type { TokenBook } from "./tokens.ts"

export type Limits = {
  /** What one token may ask. */
  requests: Rate
  /** How often one address may come with a token that is not valid. */
  failures: Rate
}
export const usualLimits: Limits = {
  requests: { perSecond: 2000, burst: 4000 },
  failures: { perSecond: 5, burst: 200 },
}

export type NotAdmitted =
  | { code: "rate_limited"; wait_ms: number }
  | { code: "unauthorized"; refusal: Refusal }
export type Admission = { ok: true; grant: Grant } | { ok: false; reason: NotAdmitted }

/** Lets in who shows a valid token, and neither too often nor after too many false ones. */
export class Gate {
  readonly #start: Buffer
  readonly #tokens: TokenBook | undefined
  readonly #requests: RateLimit
  readonly #failures: RateLimit

  constructor(startToken: string, tokens: TokenBook | undefined, limits: Limits = usualLimits) {
    this.#start = sha256(startToken)
    this.#tokens = tokens
    this.#requests = new RateLimit(limits.requests)
    this.#failures = new RateLimit(limits.failures)
  }

  admit(incoming: IncomingMessage, given = bearerOf(incoming)): Admission {
    const found = given === undefined ? undefined : this.#find(given, incoming)
    if (found?.ok) {
      const wait_ms = this.wait(found.grant)
      return wait_ms === 0 ? found : { ok: false, reason: { code: "rate_limited", wait_ms } }
    }
    const wait_ms = this.#failures.take(incoming.socket.remoteAddress ?? "unknown")
    if (wait_ms > 0) return { ok: false, reason: { code: "rate_limited", wait_ms } }
    return { ok: false, reason: { code: "unauthorized", refusal: unauthorized(found?.reason) } }
  }

  /** Counts one more thing that is asked with a token; how many milliseconds it has to wait, or 0. */
  wait({ id }: Grant): number {
    return this.#requests.take(id)
  }

  /** Whether what was granted still holds; streams outlive the request that opened them. */
  holds({ id }: Grant): boolean {
    return id === owner.id || (this.#tokens?.holds(id) ?? false)
  }

  #find(given: string, { socket }: IncomingMessage) {
    // Digests have one length, so the comparison tells nothing of the token. It is the local user's alone.
    if (timingSafeEqual(sha256(given), this.#start) && isLocal(socket)) {
      return { ok: true as const, grant: owner }
    }
    return this.#tokens?.find(given) ?? { ok: false as const, reason: "unknown" as const }
  }
}

export const isLoopback = (address: string | undefined): boolean =>
  /^(::ffff:)?127\.|^::1$|^localhost$/.test(address ?? "")

const isLocal = ({ remoteAddress, localAddress }: IncomingMessage["socket"]): boolean =>
  isLoopback(remoteAddress) || (remoteAddress !== undefined && remoteAddress === localAddress)

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
}

function unauthorized(reason: "unknown" | "expired" | undefined): Refusal {
  const messages = { unknown: "The access token is not valid.", expired: "The access token has expired." }
  return {
    code: "unauthorized",
    message: reason === undefined ? "The request has no access token." : messages[reason],
    field: "Authorization",
    fix: "Send `Authorization: Bearer <token>`; the token is in the URL that the host printed.",
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
