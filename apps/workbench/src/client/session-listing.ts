import type { Bound, Client, Refusal, SessionRow } from "@factum/client"

export type Cursor = string | number

/** What the page knows of the list of sessions. */
export type Listing = {
  /** The host has answered once: an empty list is then known to be empty. */
  listed: boolean
  /** Where the list goes on, when there are more than were read. */
  more: Cursor | undefined
  /** Sessions that are in the list and have no tab. */
  aside: ReadonlySet<string>
}
export const nothingListed: Listing = { listed: false, more: undefined, aside: new Set() }

/** What a person said of sessions, or saw of them. */
export type Marks = {
  isPinned(sessionId: string): boolean
  pin(sessionId: string, pinned: boolean): void
  seen(sessionId: string, at: string): void
  isUnread(sessionId: string, at: string): boolean
  /** A closed tab stays closed until more requests wait there than when it was closed. */
  isClosed(sessionId: string, needsYou: number): boolean
  close(sessionId: string, needsYou: number | undefined): void
}

type Parts = {
  client: Client
  bound: Bound
  marks: Marks
  open: () => string | undefined
  changed: (change: Partial<Listing>) => void
  refused: (refusal: Refusal) => void
}

/** Sessions that another one handed out stand in its team. */
const newest = { limit: 100, top: "true" }
/** How many pages without a match one search reads on. */
const mostPages = 5

/** The list of sessions, as far as it was read, and which of them have a tab. */
export class SessionListing {
  readonly #parts: Parts
  #aside: ReadonlySet<string> = new Set()
  #isListed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The newest ones. */
  async refresh(): Promise<void> {
    const { client, marks, open, changed } = this.#parts
    const reply = await client.sessions(newest)
    if (!reply.ok) return
    const { sessions: rows, next } = reply.result
    this.#list(rows)
    const isClosed = ({ session_id, needs_you = 0 }: SessionRow) =>
      session_id !== open() && marks.isClosed(session_id, needs_you)
    this.#setAside(
      rows.filter(isClosed),
      rows.filter((row) => !isClosed(row)),
    )
    if (!this.#isListed) changed({ listed: true, more: next })
    this.#isListed = true
  }

  /** Those whose title holds the words, or the next ones. Gives where the list goes on. */
  async find(search: string, before?: Cursor): Promise<Cursor | undefined> {
    const { client, bound, changed, refused } = this.#parts
    let at = before
    for (let pages = 0; pages < mostPages; pages++) {
      const query = { ...newest, ...(search !== "" && { search }), ...(at !== undefined && { before: at }) }
      const reply = await client.sessions(query)
      if (!reply.ok) {
        refused(reply.refusal)
        return at
      }
      const { sessions: rows, next } = reply.result
      const known = bound.store.getSnapshot().sessions
      this.#setAside(
        rows.filter(({ session_id }) => !known.has(session_id)),
        [],
      )
      this.#list(rows)
      at = next
      // A page of a search may be empty and not the last one.
      if (rows.length > 0 || next === undefined) break
    }
    if (search === "") changed({ more: at })
    return at
  }

  pin(sessionId: string, pinned: boolean): void {
    this.#parts.marks.pin(sessionId, pinned)
    void this.refresh()
  }

  /** Its tab goes; nothing else of it does. */
  close(session_id: string): void {
    const { bound, marks } = this.#parts
    const tab = bound.view("session_tabs", {}).tabs.find(({ sessionId }) => sessionId === session_id)
    marks.close(session_id, tab?.needsYou ?? 0)
    this.#setAside([{ session_id }], [])
  }

  opened(session_id: string): void {
    this.#parts.marks.close(session_id, undefined)
    this.#setAside([], [{ session_id }])
  }

  #list(rows: readonly SessionRow[]): void {
    const { bound, marks, open } = this.#parts
    const listed = rows.map((row) => {
      const { session_id, updated_at } = row
      const isOpen = session_id === open()
      if (isOpen && !globalThis.document?.hidden) marks.seen(session_id, updated_at)
      const unread = !isOpen && marks.isUnread(session_id, updated_at)
      return { ...row, unread, pinned: marks.isPinned(session_id) }
    })
    bound.list(listed)
  }

  #setAside(away: readonly { session_id: string }[], here: readonly { session_id: string }[]): void {
    const isSame =
      away.every(({ session_id }) => this.#aside.has(session_id)) &&
      !here.some(({ session_id }) => this.#aside.has(session_id))
    if (isSame) return
    const next = new Set([...this.#aside, ...away.map(({ session_id }) => session_id)])
    for (const { session_id } of here) next.delete(session_id)
    this.#aside = next
    this.#parts.changed({ aside: next })
  }
}
