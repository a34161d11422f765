import {
  type ArtifactPort,
  type ArtifactRefusal,
  type ArtifactWritten,
  artifactKinds,
  type Runtime,
} from "@factum/runtime"
import { type Context, Hono, type Next } from "hono"
import { z } from "zod"
import { isScoped, may, reaches } from "./access/grant.ts"
import { lacking, outOfScope } from "./access/reach.ts"
import { asFile } from "./blobs.ts"
import { readJson } from "./checked.ts"
import { COMMAND_LIMIT } from "./commands.ts"
import type { HostEnv } from "./env.ts"
import { exportTo } from "./export-artifact.ts"
import { accept, type Checked, refuse } from "./refusal.ts"
import { refusalStatus } from "./refusal-status.ts"
import { limitOf, wholeNumber } from "./sessions.ts"

const MOST_LISTED = 500
const USUAL_LISTED = 100
const tooLarge = "Send large content to POST /v1/blobs and name it as content_digest."

const Version = z.string().regex(/^[1-9]\d{0,9}$/, "a version is a whole number, as text")
const Text = z.string().min(1).max(200)
const Content = {
  content: z.string().optional(),
  /** Of bytes that were sent to /v1/blobs. */
  content_digest: z.string().optional(),
  title: Text.optional(),
  kind: z.enum(artifactKinds).optional(),
  media_type: Text.optional(),
}
/** Makes a change repeatable, as for commands. */
const command_id = z.string().min(1).max(200).optional()
const turn = { session_id: z.string().min(1), turn_id: z.string().min(1).optional() }
export const ArtifactCreate = z.strictObject({ ...turn, ...Content, title: Text, command_id })
export const ArtifactEdit = z.strictObject({
  ...Content,
  base_version: Version,
  turn_id: turn.turn_id,
  command_id,
})
export const ArtifactRollback = z.strictObject({
  to_version: Version,
  base_version: Version.optional(),
  command_id,
})
export const ArtifactRemoval = z.strictObject({ base_version: Version.optional(), command_id })
export const ArtifactExport = z.strictObject({
  version: Version.optional(),
  path: z.string().min(1).max(1000).optional(),
  overwrite: z.boolean().optional(),
})

export function artifactRoutes(runtime: Runtime, project: string | undefined) {
  const routes = new Hono<HostEnv>()
  const { artifacts, blobs } = runtime
  if (artifacts === undefined) return routes
  const body = <S extends z.ZodType>(c: Ctx, schema: S) =>
    readJson(c.env.incoming, schema, COMMAND_LIMIT, tooLarge)

  const isReached = (c: Ctx, session_id: string) => reaches(c.var.grant, session_id, runtime.workspaceOf)

  routes.use(async (c, next) => {
    const { grant } = c.var
    return c.req.method === "GET" || may(grant, "operate")
      ? next()
      : refuse(c, lacking(grant, "operate", "changing an artifact"))
  })
  // Whether it exists is nobody's business who may not see it.
  const inReach = async (c: Ctx, next: Next) => {
    const known = artifacts.get(c.req.param("id") ?? "")
    return known === undefined || isReached(c, known.session_id) ? next() : notFound(c)
  }
  routes.use("/:id", inReach)
  routes.use("/:id/*", inReach)

  routes.get("/", (c) => {
    const limit = limitOf(c, USUAL_LISTED, MOST_LISTED)
    if (!limit.ok) return refuse(c, limit.refusal)
    const before = wholeNumber(c.req.query("before") ?? String(Number.MAX_SAFE_INTEGER))
    if (before === undefined) {
      const message = "before is the position of the last artifact of the page before."
      return refuse(c, { code: "invalid_input", message, field: "before" })
    }
    const session_id = c.req.query("session_id")
    const page = { limit: limit.value, before, ...(session_id === undefined ? {} : { session_id }) }
    const listed = artifacts.list(page)
    const seen = isScoped(c.var.grant) ? listed.filter((one) => isReached(c, one.session_id)) : listed
    return accept(c, { artifacts: seen })
  })

  routes.post("/", async (c) => {
    const given = await body(c, ArtifactCreate)
    if (!given.ok) return refuse(c, given.refusal)
    const { session_id, turn_id, command_id: key, content, content_digest, ...named } = given.value
    if (!isReached(c, session_id)) return refuse(c, outOfScope(session_id))
    const bytes = await bytesOf({ content, content_digest }, runtime)
    if (!bytes.ok) return refuse(c, bytes.refusal)
    const about = { session_id, ...(turn_id && { turn_id }) }
    const draft = { ...defined(named), title: named.title, content: bytes.value }
    return answer(c, await artifacts.write({ ...draft, about, ...madeBy(c), ...keyed(key) }))
  })

  routes.get("/:id", (c) => {
    const found = artifacts.get(c.req.param("id"))
    return found === undefined ? notFound(c) : accept(c, found)
  })

  routes.get("/:id/versions", (c) => {
    const found = artifacts.versions(c.req.param("id"))
    return found === undefined ? notFound(c) : accept(c, { versions: found })
  })

  routes.get("/:id/content", (c) => {
    const found = artifacts.content(c.req.param("id"), c.req.query("version"))
    if (!found.ok) return refuseChange(c, found)
    const headers = { ...asFile, "cache-control": "no-store", etag: `"${found.ref.digest}"` }
    return c.body(Buffer.from(found.bytes), 200, headers)
  })

  routes.get("/:id/diff", async (c) => {
    const { from, to } = c.req.query()
    const given = z.strictObject({ from: Version, to: Version }).safeParse({ from, to })
    if (!given.success) {
      const message = "from and to name two versions."
      return refuse(c, { code: "invalid_input", message, field: from === undefined ? "from" : "to" })
    }
    const found = await artifacts.diff(c.req.param("id"), given.data.from, given.data.to)
    if (!found.ok) return refuseChange(c, found)
    const { ok: _, ...diff } = found
    return accept(c, diff)
  })

  routes.put("/:id", async (c) => {
    const given = await body(c, ArtifactEdit)
    if (!given.ok) return refuse(c, given.refusal)
    const { turn_id, base_version, command_id: key, content, content_digest, ...named } = given.value
    const known = artifacts.get(c.req.param("id"))
    if (known === undefined) return notFound(c)
    const { artifact_id } = known
    const bytes = await bytesOf({ content, content_digest }, runtime)
    if (!bytes.ok) return refuse(c, bytes.refusal)
    const about = { session_id: known.session_id, ...(turn_id && { turn_id }) }
    const draft = { artifact_id, base_version, content: bytes.value, ...defined(named) }
    const written = await artifacts.write({ ...draft, about, ...madeBy(c), ...keyed(key) })
    if (written.ok || written.edit_ref !== undefined || content === undefined) return answer(c, written)
    // The bytes could not be kept, so they go back to where they came from.
    return refuseChange(c, written, { content })
  })

  routes.post("/:id/rollback", async (c) => {
    const given = await body(c, ArtifactRollback)
    if (!given.ok) return refuse(c, given.refusal)
    const { command_id: key, to_version, ...base } = given.value
    return change(c, artifacts, (on) =>
      artifacts.rollback({ ...on, to_version, ...defined(base), ...keyed(key) }),
    )
  })

  routes.delete("/:id", async (c) => {
    const given = await body(c, ArtifactRemoval)
    if (!given.ok) return refuse(c, given.refusal)
    const { command_id: key, ...base } = given.value
    return change(c, artifacts, (on) => artifacts.remove({ ...on, ...defined(base), ...keyed(key) }))
  })

  routes.post("/:id/export", async (c) => {
    const given = await body(c, ArtifactExport)
    if (!given.ok) return refuse(c, given.refusal)
    const { version, path, overwrite = false } = given.value
    // An agent would have to ask for leave to write there.
    if (path !== undefined && !may(c.var.grant, "approve"))
      return refuse(c, lacking(c.var.grant, "approve", "writing a file in the project"))
    const found = artifacts.content(c.req.param("id"), version)
    if (!found.ok) return refuseChange(c, found)
    const { bytes, media_type, ref } = found
    if (path !== undefined) {
      const written = await exportTo(project, path, bytes, overwrite)
      return written.ok ? accept(c, { version: found.version, ...written.value }) : refuse(c, written.refusal)
    }
    const stored = await blobs.put(bytes)
    if (!("digest" in stored))
      return refuse(c, { code: "write_failed", message: `Nothing was exported: ${stored.reason}` })
    const download = { ...ref, uri: `blob:${stored.digest}`, kind: "blob", media_type }
    return accept(c, { version: found.version, download_ref: download })
  })

  return routes
}

type Ctx = Context<HostEnv>
type On = { artifact_id: string; about: { session_id: string } } & ReturnType<typeof madeBy>

function change(c: Ctx, artifacts: ArtifactPort, make: (on: On) => Promise<ArtifactWritten>) {
  const known = artifacts.get(c.req.param("id") ?? "")
  if (known === undefined) return notFound(c)
  const { artifact_id, session_id } = known
  return make({ artifact_id, about: { session_id }, ...madeBy(c) }).then((done) => answer(c, done))
}

async function bytesOf(
  { content, content_digest }: { content: string | undefined; content_digest: string | undefined },
  { blobs }: Runtime,
): Promise<Checked<Uint8Array>> {
  if ((content === undefined) === (content_digest === undefined)) {
    const message = "Give content, or content_digest of bytes that were sent to /v1/blobs."
    return { ok: false, refusal: { code: "invalid_input", message, field: "content" } }
  }
  const bytes = content === undefined ? await blobs.read(content_digest ?? "") : Buffer.from(content)
  if (bytes !== undefined) return { ok: true, value: bytes }
  const message = `There is no blob ${content_digest}.`
  return { ok: false, refusal: { code: "not_found", message, field: "content_digest", fix: tooLarge } }
}

function answer(c: Ctx, written: ArtifactWritten): Response {
  if (!written.ok) return refuseChange(c, written)
  const { ok: _, ...result } = written
  return accept(c, result)
}

/** Beside the refusal, what helps to save again: the newest version, and the edit itself. */
function refuseChange(c: Ctx, refused: ArtifactRefusal, back: { content?: string } = {}): Response {
  const { code, message, fix, current_version, edit_ref } = refused
  const refusal = { code, message, ...(fix && { fix }), ...(current_version && { state: current_version }) }
  const kept = { ...(current_version && { current_version }), ...(edit_ref && { edit_ref }), ...back }
  return c.json({ ok: false, refusal, ...kept }, refusalStatus[code], { "cache-control": "no-store" })
}

function notFound(c: Ctx): Response {
  const id = c.req.param("id") ?? ""
  return refuse(c, { code: "not_found", message: `There is no artifact ${id}.`, field: "artifact_id", id })
}

const madeBy = ({ var: { grant } }: Ctx) =>
  ({ author: "person", by: { id: grant.id, name: grant.name } }) as const

const keyed = (id: string | undefined) => (id === undefined ? {} : { key: `http:${id}` })

/** Without the fields that were left out. */
function defined<T extends Record<string, unknown>>(given: T) {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
