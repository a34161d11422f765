import { hash, randomBytes } from "node:crypto"
import { join } from "node:path"
import { z } from "zod"
import { type Grant, type Role, roles, type Scope } from "./grant.ts"
import { alone, readPrivate, versionOf, writePrivate } from "./private-file.ts"

const Kept = z.strictObject({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.enum(roles)).min(1),
  scope: z.strictObject({
    sessions: z.array(z.string()).exactOptional(),
    workspaces: z.array(z.string()).exactOptional(),
  }),
  digest: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().exactOptional(),
})
const Book = z.strictObject({ version: z.literal(1), tokens: z.array(Kept) })
type Kept = z.infer<typeof Kept>

/** A token as it is shown: everything but itself. */
export type TokenRow = Omit<Kept, "digest">
export type Issue = { name: string; roles: readonly Role[]; scope?: Scope; expires_at?: string }
export type Found = { ok: true; grant: Grant } | { ok: false; reason: "unknown" | "expired" }

/** The access tokens that were issued, kept as digests in one file that other processes may change. */
export class TokenBook {
  readonly #path: string
  readonly #now: () => number
  #tokens: readonly Kept[] = []
  #changed: string | undefined
  #problem: string | undefined

  private constructor(path: string, now: () => number) {
    this.#path = path
    this.#now = now
  }

  static open(directory: string, now: () => number = Date.now): TokenBook | { problem: string } {
    const book = new TokenBook(join(directory, "tokens.json"), now)
    const problem = book.#reread()
    return problem === undefined ? book : { problem }
  }

  /** The token itself is given once and kept nowhere. */
  issue(asked: Issue): { token: string; row: TokenRow } {
    const { keep, ...made } = this.prepare(asked)
    const problem = keep()
    if (problem !== undefined) throw new Error(problem)
    return made
  }

  /** A token that is valid once it is kept; `keep` gives the reason when it could not be. */
  prepare({ name, roles, scope = {}, expires_at }: Issue): {
    token: string
    row: TokenRow
    keep(): string | undefined
  } {
    const token = `fct_${randomBytes(32).toString("base64url")}`
    const row: TokenRow = {
      id: `tok_${randomBytes(8).toString("hex")}`,
      name,
      roles: [...roles],
      scope: {
        ...(scope.sessions && { sessions: [...scope.sessions] }),
        ...(scope.workspaces && { workspaces: [...scope.workspaces] }),
      },
      created_at: new Date(this.#now()).toISOString(),
      ...(expires_at === undefined ? {} : { expires_at }),
    }
    const keep = () => this.#change((tokens) => [...tokens, { ...row, digest: digestOf(token) }])
    return { token, row, keep }
  }

  /** Whether it was there, or why it could not be taken out. */
  revoke(id: string): boolean | { problem: string } {
    let isKnown = false
    const problem = this.#change((tokens) => {
      isKnown = tokens.some((one) => one.id === id)
      return tokens.filter((one) => one.id !== id)
    })
    return problem === undefined ? isKnown : { problem }
  }

  /** Why the tokens cannot be read just now, so that nobody has one; nothing when they can. */
  unreadable(): string | undefined {
    this.#refresh()
    return this.#problem
  }

  rows(): TokenRow[] {
    this.#refresh()
    return this.#tokens.map(({ digest, ...row }) => row)
  }

  /** Looked up by digest, so that the time it takes tells nothing of a token. */
  find(token: string): Found {
    this.#refresh()
    const digest = digestOf(token)
    const kept = this.#tokens.find((one) => one.digest === digest)
    if (kept === undefined) return { ok: false, reason: "unknown" }
    if (this.#isOver(kept)) return { ok: false, reason: "expired" }
    const { digest: _, created_at: __, ...grant } = kept
    return { ok: true, grant }
  }

  /** Whether a token that was let in is still valid. */
  holds(id: string): boolean {
    this.#refresh()
    const kept = this.#tokens.find((one) => one.id === id)
    return kept !== undefined && !this.#isOver(kept)
  }

  #isOver({ expires_at }: Kept): boolean {
    return expires_at !== undefined && Date.parse(expires_at) <= this.#now()
  }

  #refresh(): void {
    // A file that became unreadable or was opened to others lets nobody in.
    if (versionOf(this.#path) !== this.#changed) this.#reread()
  }

  #reread(): string | undefined {
    const file = readPrivate(this.#path)
    this.#changed = file?.ok ? file.changed : versionOf(this.#path)
    this.#tokens = []
    this.#problem = file?.ok === false ? file.message : undefined
    if (!file?.ok) return this.#problem
    const parsed = Book.safeParse(parsedJson(file.text))
    if (parsed.success) this.#tokens = parsed.data.tokens
    else this.#problem = `${this.#path} is no list of tokens: remove it and issue them again.`
    return this.#problem
  }

  /** Starts from what is on the disk now, and never from a list that could not be read: it would erase the tokens in it. */
  #change(make: (tokens: readonly Kept[]) => readonly Kept[]): string | undefined {
    return alone(this.#path, () => {
      if (this.#reread() !== undefined) return this.#problem
      const tokens = make(this.#tokens)
      writePrivate(this.#path, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`)
      return this.#reread()
    })
  }
}

/** They are random and long, so that a plain digest cannot be searched. */
const digestOf = (token: string): string => hash("sha256", token)

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
