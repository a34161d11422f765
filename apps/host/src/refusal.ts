import type { Context } from "hono"
import { type HostRefusalCode, statusOf } from "./refusal-status.ts"

export type HostRefusal = {
  code: HostRefusalCode
  message: string
  field?: string
  id?: string
  state?: string
  fix?: string
}

export function refuse(c: Context, refusal: HostRefusal): Response {
  return c.json({ ok: false, refusal }, statusOf(refusal.code), { "cache-control": "no-store" })
}

export function accept(c: Context, result: unknown): Response {
  return c.json({ ok: true, result }, 200, { "cache-control": "no-store" })
}
