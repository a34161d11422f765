import { createHash, timingSafeEqual } from "node:crypto"
import type { HttpBindings } from "@hono/node-server"
import { createMiddleware } from "hono/factory"
import { refuse } from "./refusal.ts"

type Env = { Bindings: HttpBindings }

/** Under which a browser on this machine can reach the host. */
const loopbackNames = ["127.0.0.1", "localhost"]

const securityHeaders = {
  "content-security-policy": [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}

/** Set on the raw response, so that streams, errors and missing pages carry them too. */
export const withSecurityHeaders = createMiddleware<Env>((c, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) c.env.outgoing.setHeader(name, value)
  return next()
})

/** A page of another site that a browser was led to must not reach the host, nor by another name for it. */
export const sameSiteOnly = createMiddleware<Env>(async (c, next) => {
  const { headers, socket } = c.env.incoming
  const host = headers.host?.toLowerCase() ?? ""
  const fix = `Use http://127.0.0.1:${socket.localPort}/.`
  if (!loopbackNames.some((name) => host === `${name}:${socket.localPort}`)) {
    const message = "The Host header does not name this host."
    return refuse(c, { code: "not_permitted", message, field: "Host", fix })
  }
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${host}`) {
    const message = "The Origin header names another site."
    return refuse(c, { code: "not_permitted", message, field: "Origin", fix })
  }
  return next()
})

export function bearerOnly(token: string) {
  const expected = sha256(token)
  return createMiddleware<Env>(async (c, next) => {
    const given = /^Bearer +(\S+)$/i.exec(c.env.incoming.headers.authorization ?? "")?.[1]
    // Digests have one length, so the comparison tells nothing of the token.
    if (given !== undefined && timingSafeEqual(sha256(given), expected)) return next()
    c.env.outgoing.setHeader("www-authenticate", "Bearer")
    return refuse(c, {
      code: "unauthorized",
      message: given === undefined ? "The request has no access token." : "The access token is not valid.",
      field: "Authorization",
      fix: "Send `Authorization: Bearer <token>`; the token is in the URL that the host printed.",
    })
  })
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
