import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import type { ArtifactChange, ArtifactKind } from "../../ports/artifact.ts"
import { makeFile } from "../sqlite/directories.ts"
import { APPLICATION_ID, FORMAT_VERSION, FROM_1, SCHEMA } from "./schema.ts"

export type ArtifactRow = {
  artifact_id: string
  session_id: string
  kind: ArtifactKind
  head: number
  removed: number
  changes: number
  position: number
  created_at: string
  updated_at: string
}
export type VersionRow = {
  artifact_id: string
  version: number
  change: "produced" | "updated" | "rolled_back"
  from_version: number | null
  author: "agent" | "person"
  title: string
  media_type: string
  digest: string
  bytes: number
  preview: string
  whole: number
  diff_digest: string | null
  diff_bytes: number | null
  created_at: string
  /** Who made it, as JSON. */
  actor: string | null
}
export type KeyRow = { request: string; answer: string }
export type UntoldRow = { id: number; claim: string; change: string }

/** The table of artifacts. Changes are rare and small, so they need no thread of their own. */
export class Shelf {
  readonly #db: DatabaseSync

  constructor(path: string) {
    makeFile(path)
    this.#db = new DatabaseSync(path, { timeout: 5000 })
    try {
      this.#db.exec("pragma journal_mode = wal; pragma synchronous = full;")
      const version = this.#number("pragma user_version", "user_version")
      if (version === 0) this.transact(() => this.#db.exec(SCHEMA))
      else if (version > FORMAT_VERSION) throw new Error("it was written by a newer Factum")
      else if (this.#number("pragma application_id", "application_id") !== APPLICATION_ID)
        throw new Error("it is not a file of artifacts")
      else if (version === 1) this.transact(() => this.#db.exec(FROM_1))
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  /** All of it is durable, or nothing. */
  transact<T>(work: () => T): T {
    this.#db.exec("begin immediate")
    try {
      const result = work()
      this.#db.exec("commit")
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("rollback")
      throw error
    }
  }

  artifact(artifact_id: string): ArtifactRow | undefined {
    return this.#row<ArtifactRow>("select * from artifacts where artifact_id = ?", artifact_id)
  }

  version(artifact_id: string, version: number): VersionRow | undefined {
    return this.#row<VersionRow>(
      "select * from versions where artifact_id = ? and version = ?",
      artifact_id,
      version,
    )
  }

  versions(artifact_id: string): VersionRow[] {
    return this.#rows<VersionRow>(
      "select * from versions where artifact_id = ? order by version",
      artifact_id,
    )
  }

  list({ session_id, limit, before = Number.MAX_SAFE_INTEGER }: ListPage): ArtifactRow[] {
    if (session_id === undefined)
      return this.#rows<ArtifactRow>(
        "select * from artifacts where position < ? order by position desc limit ?",
        before,
        limit,
      )
    return this.#rows<ArtifactRow>(
      `select artifacts.* from followers join artifacts using (artifact_id)
       where followers.session_id = ? and position < ? order by position desc limit ?`,
      session_id,
      before,
      limit,
    )
  }

  followers(artifact_id: string): string[] {
    const rows = this.#rows<{ session_id: string }>(
      "select session_id from followers where artifact_id = ? order by session_id",
      artifact_id,
    )
    return rows.map(({ session_id }) => session_id)
  }

  follow(artifact_id: string, session_id: string): void {
    this.#run("insert or ignore into followers values (?, ?)", artifact_id, session_id)
  }

  keyed(key: string): KeyRow | undefined {
    return this.#row<KeyRow>("select request, answer from keys where key = ?", key)
  }

  keep(key: string, request: string, answer: string): void {
    this.#run("insert into keys values (?, ?, ?)", key, request, answer)
  }

  put(row: Omit<ArtifactRow, "position">): void {
    const position = 1 + this.#number("select coalesce(max(position), 0) as last from artifacts", "last")
    const { artifact_id, session_id, kind, head, removed, changes, created_at, updated_at } = row
    this.#run(
      "insert or replace into artifacts values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[artifact_id, session_id, kind, head, removed, changes, position, created_at, updated_at],
    )
  }

  add(row: VersionRow): void {
    const { artifact_id, version, change, from_version, author, title, media_type, digest, bytes } = row
    const { preview, whole, diff_digest, diff_bytes, created_at, actor } = row
    this.#run(
      "insert into versions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[artifact_id, version, change, from_version, author, title, media_type, digest, bytes],
      ...[preview, whole, diff_digest, diff_bytes, created_at, actor],
    )
  }

  owe(change: ArtifactChange, claim: string): void {
    this.#run("insert into untold (claim, change) values (?, ?)", claim, JSON.stringify(change))
  }

  untold(): UntoldRow[] {
    return this.#rows<UntoldRow>("select * from untold order by id")
  }

  told(id: number): void {
    this.#run("delete from untold where id = ?", id)
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }

  // The columns of each statement are those of its type, which SQL cannot tell the compiler.
  #rows<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#db.prepare(sql).all(...values) as T[]
  }
  #row<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#rows<T>(sql, ...values)[0]
  }
  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#db.prepare(sql).run(...values)
  }
  #number(sql: string, column: string): number {
    return Number(this.#db.prepare(sql).get()?.[column] ?? 0)
  }
}

export type ListPage = { session_id?: string; limit: number; before?: number }
