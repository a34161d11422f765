import type { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import { createMiddleware } from "hono/factory"
import type { Gate } from "./access/admission.ts"
import type { Audit } from "./access/audit.ts"
import { may, type Permission } from "./access/grant.ts"
import { lacking } from "./access/reach.ts"
import { guestOf, isPreflight, welcome } from "./cross-origin.ts"
import type { HostEnv } from "./env.ts"
import { type Answer, refuse } from "./refusal.ts"

/** Under which names the host may be reached, whether by TLS, and which other sites' pages may ask. */
export type Site = { names: readonly string[]; secure: boolean; origins?: readonly string[] }

/** Under which a browser on this machine can reach the host. */
export const loopback: Site = { names: ["127.0.0.1", "localhost"], secure: false }

/** Of every page but the previews, which have their own. */
export const contentPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  // Only previews let themselves be framed.
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ")

const securityHeaders = {
  "content-security-policy": contentPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
}

/** Set on the raw response, so that streams, errors and missing pages carry them too. */
export const withSecurityHeaders = createMiddleware<HostEnv>((c, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) c.env.outgoing.setHeader(name, value)
  return next()
})

/** A page of another site that a browser was led to must not reach the host, nor by another name for it. */
export function foreignSite(incoming: IncomingMessage, site: Site): Answer | undefined {
  const { headers, socket } = incoming
  // Without TLS, a host that has it listens for this machine alone.
  const { names, secure } = site.secure && !(socket instanceof TLSSocket) ? loopback : site
  const host = headers.host?.toLowerCase() ?? ""
  const scheme = secure ? "https" : "http"
  const port = socket.localPort
  const standard = port === (secure ? 443 : 80)
  const fix = `Use ${scheme}://${names[0]}:${port}/.`
  if (!names.some((name) => host === `${name}:${port}` || (standard && host === name))) {
    return { code: "not_permitted", message: "The Host header does not name this host.", field: "Host", fix }
  }
  const isOwn = headers.origin === undefined || headers.origin.toLowerCase() === `${scheme}://${host}`
  if (!isOwn && guestOf(incoming, site) === undefined) {
    return { code: "not_permitted", message: "The Origin header names another site.", field: "Origin", fix }
  }
}

export const sameSiteOnly = (site: Site) =>
  createMiddleware<HostEnv>(async (c, next) => {
    const { incoming, outgoing } = c.env
    const foreign = foreignSite(incoming, site)
    if (foreign !== undefined) return refuse(c, foreign)
    const guest = guestOf(incoming, site)
    if (guest === undefined) return next()
    welcome(incoming, outgoing, guest)
    return isPreflight(incoming) ? c.body(null, 204) : next()
  })

/** Headers of which a second one would be understood differently by whoever stands in between. */
const single = ["host", "origin", "authorization", "content-length", "content-type", "last-event-id", "range"]

/** What is said twice is not guessed. */
export const unambiguous = createMiddleware<HostEnv>(async (c, next) => {
  const { rawHeaders } = c.env.incoming
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const doubled = single.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (doubled !== undefined) {
    return refuse(c, {
      code: "invalid_input",
      message: `The header ${doubled} is given twice.`,
      field: doubled,
    })
  }
  const repeated = Object.entries(c.req.queries()).find(([, values]) => values.length > 1)
  if (repeated !== undefined) {
    const [field] = repeated
    return refuse(c, { code: "invalid_input", message: `${field} is given twice in the address.`, field })
  }
  return next()
})

export const admittedOnly = (gate: Gate) =>
  createMiddleware<HostEnv>(async (c, next) => {
    const admission = gate.admit(c.env.incoming)
    if (admission.ok) {
      c.set("grant", admission.grant)
      return next()
    }
    const { reason } = admission
    if (reason.code === "unauthorized") {
      c.env.outgoing.setHeader("www-authenticate", "Bearer")
      return refuse(c, reason.refusal)
    }
    const seconds = Math.ceil(reason.wait_ms / 1000)
    c.env.outgoing.setHeader("retry-after", String(seconds))
    return refuse(c, {
      code: "rate_limited",
      message: "Too many requests came with this token or from this address.",
      fix: `Wait ${seconds} s and send it again.`,
    })
  })

/** Whoever is refused for want of a permission is told of in the log. */
export const audited = (audit: Audit) =>
  createMiddleware<HostEnv>(async (c, next) => {
    await next()
    const { grant, refused } = c.var
    if (refused === undefined) return
    const command = /^\/v1\/commands\/([^/]+)$/.exec(c.req.path)?.[1]
    await audit.refused(grant, command ?? `${c.req.method} ${refused.route}`, refused.refusal)
  })

export const permittedOnly = (permission: Permission) =>
  createMiddleware<HostEnv>(async (c, next) => {
    const { grant } = c.var
    return may(grant, permission)
      ? next()
      : refuse(c, lacking(grant, permission, `${c.req.method} ${c.req.path}`))
  })
