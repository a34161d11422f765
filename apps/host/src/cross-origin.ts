import type { IncomingMessage, ServerResponse } from "node:http"
import type { Site } from "./security.ts"

/** The origin of a page elsewhere that was allowed to ask, for a request to the interface; nothing for all others. */
export function guestOf(
  { headers: { origin }, url = "" }: IncomingMessage,
  { origins = [] }: Site,
): string | undefined {
  return origin !== undefined && url.startsWith("/v1/") && origins.includes(origin) ? origin : undefined
}

/** Lets the page read the answers. Cookies are not taken, so that it still needs a token of its own. */
export function welcome({ headers, method }: IncomingMessage, outgoing: ServerResponse, guest: string): void {
  outgoing.setHeader("access-control-allow-origin", guest)
  outgoing.setHeader("access-control-expose-headers", "*")
  outgoing.setHeader("vary", "Origin")
  if (method !== "OPTIONS") return
  outgoing.setHeader("access-control-allow-methods", "GET, HEAD, POST, PUT, DELETE")
  // The wildcard covers every header but this one.
  outgoing.setHeader("access-control-allow-headers", "authorization, *")
  outgoing.setHeader("access-control-max-age", "600")
  // A browser asks this too before a page of the net reaches a host of this machine.
  if (headers["access-control-request-private-network"] === "true")
    outgoing.setHeader("access-control-allow-private-network", "true")
}

/** What a browser asks before it sends a page's request; it has no token yet. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined

/** An origin as browsers say it, or nothing when the text is none: a scheme, a name and a port, without a path. */
export function originOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const isBare = url.href === `${url.origin}/` && !/[?#]/.test(text)
  return isBare ? url.origin : undefined
}
