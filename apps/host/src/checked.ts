import type { IncomingMessage } from "node:http"
import type { z } from "zod"
import { parseJson, readBody } from "./body.ts"
import type { Checked } from "./refusal.ts"

/** A JSON body that fits a schema, or a refusal that names the field. */
export async function readJson<S extends z.ZodType>(
  incoming: IncomingMessage,
  schema: S,
  limit: number,
  fix: string,
): Promise<Checked<z.infer<S>>> {
  const body = await readBody(incoming, limit, fix)
  if (!body.ok) return body
  const parsed = parseJson(body.value.length === 0 ? Buffer.from("{}") : body.value)
  if (!parsed.ok) return parsed
  const fits = schema.safeParse(parsed.value)
  if (fits.success) return { ok: true, value: fits.data }
  const [issue] = fits.error.issues
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : []
  const field = [...(issue?.path ?? []), ...unknown].map(String).join(".") || "body"
  const message = `${field}: ${issue?.message ?? "not well formed"}.`
  return { ok: false, refusal: { code: "invalid_input", message, field } }
}
