import type { Runtime } from "@factum/runtime"
import { Hono } from "hono"
import { may } from "./access/grant.ts"
import { lacking } from "./access/reach.ts"
import type { HostEnv } from "./env.ts"
import { accept, refuse } from "./refusal.ts"

export const BLOB_LIMIT = 64 * 1024 * 1024

const tooLarge = {
  code: "too_large",
  message: `The body is larger than ${BLOB_LIMIT} bytes.`,
  field: "body",
  fix: "Split the bytes into smaller blobs.",
} as const
const cutOff = {
  code: "invalid_input",
  message: "The body was cut off.",
  field: "body",
  fix: "Send the whole body.",
} as const

/** Whatever the bytes are, a browser must neither guess their type nor show them as a page. */
export const asFile = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "accept-ranges": "bytes",
  "cache-control": "private, max-age=31536000, immutable",
}

export function blobRoutes({ blobs }: Runtime) {
  const routes = new Hono<HostEnv>()

  routes.post("/", async (c) => {
    const { incoming } = c.env
    if (!may(c.var.grant, "operate")) return refuse(c, lacking(c.var.grant, "operate", "storing a blob"))
    const isAnnounced = Number(incoming.headers["content-length"] ?? 0) > BLOB_LIMIT
    // The socket must outlive an early end, because the refusal goes out on it.
    const stored = isAnnounced
      ? ({ ok: false, code: "too_large" } as const)
      : await blobs.receive(incoming.iterator({ destroyOnReturn: false }), BLOB_LIMIT)
    if ("digest" in stored) return accept(c, { ...stored, ref: refOf(stored, c.req.header("content-type")) })
    if (stored.code === "too_large") return refuse(c, tooLarge)
    if (stored.code === "cut_off") return refuse(c, cutOff)
    return refuse(c, { code: "write_failed", message: `The bytes were not stored: ${stored.reason}` })
  })

  routes.get("/:digest", async (c) => {
    const digest = c.req.param("digest")
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) {
      const message = "A digest is `sha256:` and 64 hexadecimal digits."
      return refuse(c, { code: "invalid_input", message, field: "digest" })
    }
    const range = parseRange(c.req.header("range"))
    const bytes = await (range?.kind === "part" ? blobs.read(digest, range) : blobs.read(digest))
    if (bytes === undefined) {
      return refuse(c, { code: "not_found", message: `There is no blob ${digest}.`, field: "digest" })
    }
    if (range === undefined) return c.body(Buffer.from(bytes), 200, asFile)
    const from = range.kind === "part" ? range.from : Math.max(0, bytes.length - range.length)
    const part = range.kind === "part" ? bytes : bytes.subarray(from)
    if (part.length === 0) {
      return refuse(c, { code: "invalid_input", message: "No byte is in this range.", field: "Range" }, 416)
    }
    // The store gives a part without telling the size of the whole.
    const whole = range.kind === "part" ? "*" : bytes.length
    const found = { ...asFile, "content-range": `bytes ${from}-${from + part.length - 1}/${whole}` }
    return c.body(Buffer.from(part), 206, found)
  })

  return routes
}

/** As a message or an artifact would refer to it. */
function refOf({ digest, bytes }: { digest: string; bytes: number }, type: string | undefined) {
  const media_type = /^[\w.+-]+\/[\w.+-]+/.exec(type ?? "")?.[0]
  return { uri: `blob:${digest}`, kind: "blob", digest, bytes, ...(media_type && { media_type }) }
}

type Range = { kind: "part"; from: number; to: number } | { kind: "last"; length: number }

/** A header that is not understood, or asks for several parts, is ignored as HTTP wants it. */
function parseRange(header: string | undefined): Range | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? []
  if (first === "") return last === "" ? undefined : { kind: "last", length: Number(last) }
  if (last !== "" && Number(last) < Number(first)) return undefined
  return { kind: "part", from: Number(first), to: last === "" ? Number.MAX_SAFE_INTEGER : Number(last) + 1 }
}
