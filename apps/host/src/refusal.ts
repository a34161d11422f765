import type { Refusal } from "@factum/facts"
import type { Context } from "hono"
import { routePath } from "hono/route"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { type AnswerCode, refusalStatus } from "./refusal-status.ts"

export type Answer = Omit<Refusal, "code"> & { code: AnswerCode }

export type Checked<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

export function refuse(
  c: Context,
  refusal: Answer,
  status: ContentfulStatusCode = refusalStatus[refusal.code],
): Response {
  c.set("refused", { refusal, route: routePath(c) })
  return c.json({ ok: false, refusal }, status, { "cache-control": "no-store" })
}

export function accept(c: Context, result: unknown): Response {
  return c.json({ ok: true, result }, 200, { "cache-control": "no-store" })
}
