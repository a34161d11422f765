import { randomBytes } from "node:crypto"
import { Hono } from "hono"
import { z } from "zod"
import { readJson } from "./checked.ts"
import { COMMAND_LIMIT } from "./commands.ts"
import type { HostEnv } from "./env.ts"
import { accept, refuse } from "./refusal.ts"

export const PreviewRequest = z.strictObject({ html: z.string() })

/** A document of its own, without any right: it may run, ask for, send or embed nothing, and be in no other site. */
export const previewHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; "),
  "x-frame-options": "SAMEORIGIN",
  "cache-control": "no-store",
}

/** How many wait to be fetched; a page fetches each at once. */
const mostKept = 16
const tooLarge = "Show a smaller page, or read its text."

/**
 * Pages that somebody else wrote, to be drawn in a frame. Written into the frame they would have the policy of the page
 * around it, which forbids their styles; so each is given once, under a name that nobody can guess, with its own.
 */
export class Previews {
  readonly #kept = new Map<string, string>()

  keep(html: string): string {
    const id = randomBytes(24).toString("base64url")
    this.#kept.set(id, html)
    for (const old of this.#kept.keys()) if (this.#kept.size > mostKept) this.#kept.delete(old)
    return `/previews/${id}`
  }

  take(id: string): string | undefined {
    const html = this.#kept.get(id)
    this.#kept.delete(id)
    return html
  }
}

export function previewRoutes(previews: Previews) {
  const routes = new Hono<HostEnv>()
  routes.post("/", async (c) => {
    const given = await readJson(c.env.incoming, PreviewRequest, 4 * COMMAND_LIMIT, tooLarge)
    return given.ok ? accept(c, { path: previews.keep(given.value.html) }) : refuse(c, given.refusal)
  })
  return routes
}

/** A frame cannot send a token: the name is what it needs. */
export function previewPages(previews: Previews) {
  const pages = new Hono<HostEnv>()
  pages.get("/:id", (c) => {
    const html = previews.take(c.req.param("id"))
    return html === undefined
      ? c.body("This preview was shown before.", 404, previewHeaders)
      : c.body(html, 200, previewHeaders)
  })
  return pages
}
