import { hash } from "node:crypto"
import type { Ref } from "@factum/facts"
import type { Actor } from "../../actor.ts"
import { blobRef } from "../../outputs/spill.ts"
import { textOf } from "../../outputs/text.ts"
import type {
  ArtifactDraft,
  ArtifactListener,
  ArtifactPort,
  ArtifactRemoval,
  ArtifactRollback,
  ArtifactScope,
  ArtifactWritten,
} from "../../ports/artifact.ts"
import type { Clock, Ids } from "../../ports/clock.ts"
import type { BlobStore } from "../../ports/log.ts"
import { compare } from "./compare.ts"
import { issuesIn, kindOf, previewOf } from "./kinds.ts"
import { conflict, notKept, noVersion, refuse, unreadable } from "./refusals.ts"
import type { ArtifactRow, ListPage, Shelf, VersionRow } from "./shelf.ts"
import {
  diffRef,
  payloadOf,
  recordOf,
  refOf,
  versionOf,
  type Written,
  withoutContent,
  written,
} from "./views.ts"

export type ArtifactParts = { shelf: Shelf; blobs: BlobStore; clock: Clock; ids: Ids }
type Content = { digest: string; bytes: Uint8Array; media_type: string; title: string }

/** Keeps artifacts: bytes in the blob store, history in a table, and what sessions have still to be told. */
export class Artifacts implements ArtifactPort {
  readonly #parts: ArtifactParts
  #listener: ArtifactListener | undefined
  #telling: Promise<void> = Promise.resolve()

  constructor(parts: ArtifactParts) {
    this.#parts = parts
  }

  async write(draft: ArtifactDraft): Promise<ArtifactWritten> {
    const { artifact_id, base_version, content, key } = draft
    const { title, kind, media_type, by } = draft
    const asked = { artifact_id, base_version, title, kind, media_type, digest: digestOf(content) }
    const request = requestOf("write", asked)
    const about = this.#ready(draft, request)
    if ("ok" in about) return about
    const bytes = this.#masked(content)
    const stored = await this.#parts.blobs.put(bytes)
    if ("ok" in stored) return notKept(stored.reason)
    const edit_ref = blobRef(stored, media_type ?? "text/plain")
    const known = artifact_id === undefined ? undefined : this.#current(artifact_id, base_version, edit_ref)
    if (known !== undefined && "ok" in known) return known
    const type = media_type ?? known?.newest.media_type ?? "text/markdown"
    const named = title ?? known?.newest.title ?? "Untitled"
    const given: Content = { digest: stored.digest, bytes, media_type: type, title: named }
    const chosen = kind ?? known?.row.kind ?? kindOf(type)
    if (known === undefined) {
      const made = this.#fresh(about.session_id, chosen)
      const version = this.#versionOf(made.artifact_id, 1, given, { change: "produced", ...madeBy(draft) })
      return this.#commit({ row: made, version, about, by, key, request, edit_ref, expected: 0 })
    }
    const { row, newest } = known
    if (newest.digest === given.digest && newest.title === named && newest.media_type === type)
      return written("updated", newest)
    const next = row.head + 1
    const change = { change: "updated", ...madeBy(draft), from_version: row.head } as const
    const version = await this.#compared(this.#versionOf(row.artifact_id, next, given, change), newest, bytes)
    const changed = { ...row, kind: chosen }
    const done = await this.#commit({
      row: changed,
      version,
      about,
      by,
      key,
      request,
      edit_ref,
      expected: row.head,
    })
    // Who names no base writes over whatever is newest, so one who came in between is no conflict.
    const moved = !done.ok && done.code === "conflict" && base_version === undefined
    return moved ? this.write(draft) : done
  }

  async rollback(rollback: ArtifactRollback): Promise<ArtifactWritten> {
    const { artifact_id, to_version, base_version, key, by } = rollback
    const request = requestOf("rollback", { artifact_id, to_version, base_version })
    const about = this.#ready(rollback, request)
    if ("ok" in about) return about
    const known = this.#current(artifact_id, base_version)
    if ("ok" in known) return known
    const { row, newest } = known
    const old = this.#parts.shelf.version(artifact_id, numberOf(to_version))
    if (old === undefined) return noVersion(artifact_id, to_version)
    const bytes = this.#parts.blobs.get(old.digest)
    if (bytes === undefined) return unreadable(old)
    const { title, media_type, digest } = old
    const change = { change: "rolled_back", ...madeBy(rollback), from_version: old.version } as const
    const made = this.#versionOf(artifact_id, row.head + 1, { digest, bytes, media_type, title }, change)
    const version = await this.#compared(made, newest, bytes)
    return this.#commit({ row, version, about, by, key, request, expected: row.head })
  }

  async remove(removal: ArtifactRemoval): Promise<ArtifactWritten> {
    const { artifact_id, base_version, key, by } = removal
    const request = requestOf("remove", { artifact_id, base_version })
    const about = this.#ready(removal, request)
    if ("ok" in about) return about
    const known = this.#current(artifact_id, base_version)
    if ("ok" in known) return known
    const { row, newest } = known
    return this.#commit({ row: { ...row, removed: 1 }, about, by, key, request, expected: row.head, newest })
  }

  async observe(artifact_id: string, about: ArtifactScope): Promise<ArtifactWritten> {
    const { shelf } = this.#parts
    const known = this.#current(artifact_id)
    if ("ok" in known) return known
    const { row, newest } = known
    if (shelf.followers(artifact_id).includes(about.session_id)) return written("updated", newest)
    const payload = payloadOf("observed", row, newest, "unknown")
    shelf.transact(() => {
      shelf.follow(artifact_id, about.session_id)
      shelf.owe({ about, payload }, `${artifact_id}/observed/${about.session_id}`)
    })
    await this.#tell()
    return written("updated", newest)
  }

  get(artifact_id: string) {
    const row = this.#parts.shelf.artifact(artifact_id)
    const newest = row && this.#parts.shelf.version(artifact_id, row.head)
    return row && newest ? recordOf(row, newest) : undefined
  }

  list(page: ListPage) {
    return this.#parts.shelf.list(page).flatMap(({ artifact_id }) => this.get(artifact_id) ?? [])
  }

  versions(artifact_id: string) {
    const { shelf } = this.#parts
    const rows = shelf.versions(artifact_id)
    const removed = shelf.artifact(artifact_id)?.removed === 1
    return rows.length === 0 ? undefined : rows.map((row) => (removed ? withoutContent : versionOf)(row))
  }

  content(artifact_id: string, version?: string) {
    const known = this.#current(artifact_id)
    if ("ok" in known) return known
    const row =
      version === undefined ? known.newest : this.#parts.shelf.version(artifact_id, numberOf(version))
    if (row === undefined) return noVersion(artifact_id, version ?? "")
    const bytes = this.#parts.blobs.get(row.digest)
    if (bytes === undefined) return unreadable(row)
    const { media_type, title } = row
    return { ok: true as const, version: String(row.version), bytes, media_type, title, ref: refOf(row) }
  }

  async diff(artifact_id: string, from: string, to: string) {
    const [old, next] = [this.content(artifact_id, from), this.content(artifact_id, to)]
    if (!old.ok) return old
    if (!next.ok) return next
    const found = compare({ name: next.title, from, to }, old.bytes, next.bytes)
    if (!found.ok) {
      const why = found.reason === "not_text" ? "they are not both text" : "they differ too much"
      const message = `There is no diff of versions ${from} and ${to}: ${why}.`
      return refuse("wrong_state", message, { fix: "Look at both contents." })
    }
    const stored = await this.#parts.blobs.put(Buffer.from(found.text))
    if ("ok" in stored) return notKept(stored.reason)
    return { ...found, from, to, diff_ref: diffRef(stored.digest, stored.bytes) }
  }

  async listen(listener: ArtifactListener): Promise<void> {
    this.#listener = listener
    await this.#tell()
  }

  close(): void {
    this.#listener = undefined
    this.#parts.shelf.close()
  }

  /** The scope of a change that is new and may be made; or the answer to one that was made before. */
  #ready(change: { about: ArtifactScope; key?: string }, request: string): ArtifactScope | ArtifactWritten {
    const earlier = this.#earlier(change.key, request)
    if (earlier !== undefined) return earlier
    const place = this.#listener?.locate(change.about) ?? { ok: true as const, about: change.about }
    return place.ok ? place.about : refuse("scope_mismatch", place.reason)
  }

  #earlier(key: string | undefined, request: string): ArtifactWritten | undefined {
    const known = key === undefined ? undefined : this.#parts.shelf.keyed(key)
    if (known === undefined) return undefined
    // Written by this class, in this form.
    if (known.request === request) return JSON.parse(known.answer) as ArtifactWritten
    const fix = "Use a new key for a new change."
    return refuse("conflict", "This key was used for another change.", { fix })
  }

  #current(artifact_id: string, base_version?: string, edit_ref?: Ref) {
    const { shelf } = this.#parts
    const row = shelf.artifact(artifact_id)
    const newest = row && shelf.version(artifact_id, row.head)
    const kept = edit_ref === undefined ? {} : { edit_ref }
    if (row === undefined || newest === undefined)
      return refuse("not_found", `There is no artifact ${artifact_id}.`, kept)
    if (row.removed === 1) {
      const current_version = String(row.head)
      return refuse("wrong_state", `${artifact_id} was deleted.`, { current_version, ...kept })
    }
    if (base_version === undefined || numberOf(base_version) === row.head) return { row, newest }
    return conflict(row, base_version, edit_ref)
  }

  #fresh(session_id: string, kind: ArtifactRow["kind"]): ArtifactRow {
    const artifact_id = this.#parts.ids.next("artifact")
    const at = this.#now()
    const times = { created_at: at, updated_at: at }
    return { artifact_id, session_id, kind, head: 0, removed: 0, changes: 0, position: 0, ...times }
  }

  #versionOf(
    artifact_id: string,
    version: number,
    { digest, bytes, media_type, title }: Content,
    how: Pick<VersionRow, "change" | "author" | "actor"> & { from_version?: number },
  ): VersionRow {
    const from_version = how.from_version ?? null
    const { text: preview, whole } = previewOf(bytes, media_type)
    return {
      ...{ artifact_id, version, ...how, from_version, title, media_type, digest, preview },
      ...{ bytes: bytes.byteLength, whole: whole ? 1 : 0, created_at: this.#now() },
      ...{ diff_digest: null, diff_bytes: null },
    }
  }

  /** With the diff against the version before it, where there is one to be had. */
  async #compared(version: VersionRow, before: VersionRow, bytes: Uint8Array): Promise<VersionRow> {
    const old = this.#parts.blobs.get(before.digest)
    if (old === undefined) return version
    const names = { name: version.title, from: String(before.version), to: String(version.version) }
    const found = compare(names, old, bytes)
    const stored = found.ok ? await this.#parts.blobs.put(Buffer.from(found.text)) : undefined
    if (stored === undefined || "ok" in stored) return version
    return { ...version, diff_digest: stored.digest, diff_bytes: stored.bytes }
  }

  /** History, answer and what has to be told are durable together; then sessions are told. */
  async #commit(plan: Plan): Promise<ArtifactWritten> {
    const { shelf } = this.#parts
    const { row, key, request, expected, edit_ref } = plan
    try {
      const done = shelf.transact((): ArtifactWritten => {
        const earlier = this.#earlier(key, request)
        if (earlier !== undefined) return earlier
        const now = shelf.artifact(row.artifact_id)
        if ((now?.head ?? 0) !== expected || now?.removed === 1)
          return conflict(now ?? row, String(expected), edit_ref)
        return this.#put(plan)
      })
      if (done.ok) await this.#tell()
      return done
    } catch (error) {
      const refusal = notKept(error instanceof Error ? error.message : String(error))
      return edit_ref === undefined ? refusal : { ...refusal, edit_ref }
    }
  }

  #put({ row, version, newest, about, by, key, request }: Plan): Written {
    const { shelf, blobs } = this.#parts
    const told = version ?? newest
    if (told === undefined) throw new Error("a change has a version")
    if (version !== undefined) shelf.add(version)
    const changes = row.changes + 1
    shelf.put({ ...row, head: told.version, changes, updated_at: this.#now() })
    shelf.follow(row.artifact_id, about.session_id)
    const change = row.removed === 1 ? "removed" : told.version === 1 ? "produced" : "updated"
    const bytes = row.removed === 1 ? undefined : blobs.get(told.digest)
    const issues = bytes === undefined ? "unknown" : issuesIn(bytes, told.media_type)
    for (const session_id of shelf.followers(row.artifact_id)) {
      const own = session_id === about.session_id
      const seen = own || change === "removed" ? change : "observed"
      const payload = payloadOf(seen, row, told, issues)
      shelf.owe(
        { about: own ? about : { session_id }, payload, ...(by && { by }) },
        `${row.artifact_id}/${changes}/${session_id}`,
      )
    }
    const answer = written(change, told)
    if (key !== undefined) shelf.keep(key, request, JSON.stringify(answer))
    return answer
  }

  /** One teller at a time; what cannot be told now is told later. */
  #tell(): Promise<void> {
    this.#telling = this.#telling.then(async () => {
      const listener = this.#listener
      if (listener === undefined) return
      for (const { id, claim, change } of this.#parts.shelf.untold()) {
        // One that cannot be told must not keep the next from being told.
        const told = await listener.tell(JSON.parse(change), claim).catch(() => false)
        if (told && this.#listener !== undefined) this.#parts.shelf.told(id)
      }
    })
    return this.#telling
  }

  #masked(content: Uint8Array): Uint8Array {
    const text = textOf(content)
    const safe = text === undefined ? undefined : this.#listener?.mask(text)
    return safe === undefined || safe === text ? content : Buffer.from(safe)
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

type Plan = {
  row: ArtifactRow
  version?: VersionRow
  /** Of a change that makes no version. */
  newest?: VersionRow
  about: ArtifactScope
  by: Actor | undefined
  key: string | undefined
  request: string
  edit_ref?: Ref
  /** The version that must still be the newest. */
  expected: number
}

const madeBy = ({ author, by }: Pick<ArtifactDraft, "author" | "by">) => ({
  author,
  actor: by === undefined ? null : JSON.stringify(by),
})
const digestOf = (bytes: Uint8Array): string => hash("sha256", bytes)
const requestOf = (kind: string, asked: unknown): string => hash("sha256", JSON.stringify({ kind, asked }))
/** Versions are whole numbers from 1; anything else names none. */
const numberOf = (version: string): number => (/^[1-9]\d{0,9}$/.test(version) ? Number(version) : 0)
