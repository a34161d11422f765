import type { Runtime } from "@factum/runtime"
import type { Answer } from "../refusal.ts"
import type { Grant } from "./grant.ts"
import { isDenial } from "./reach.ts"

/** How long refusals of one token are counted before they are told together. */
export type AuditPace = { firstMs: number; longestMs: number }
export const usualAudit: AuditPace = { firstMs: 10_000, longestMs: 3_600_000 }

const LONGEST_MESSAGE = 300

type Counting = { grant: Grant; ms: number; counts: Map<string, number>; last: string; timer: NodeJS.Timeout }

/**
 * Who was refused what for want of a permission, as facts of the runtime's own stream. The first refusal of a token is
 * told at once; those that follow are counted and told together, in times that double for as long as they go on.
 */
export class Audit {
  readonly #report: Runtime["report"]
  readonly #pace: AuditPace
  readonly #counting = new Map<string, Counting>()

  constructor(report: Runtime["report"], pace: AuditPace = usualAudit) {
    this.#report = report
    this.#pace = pace
  }

  /** Resolves when it is told or counted. */
  async refused(grant: Grant, what: string, refusal: Answer): Promise<void> {
    if (!isDenial(refusal)) return
    const { message } = refusal
    const known = this.#counting.get(grant.id)
    if (known === undefined) {
      this.#count(grant, this.#pace.firstMs)
      return this.#tell(grant, new Map([[what, 1]]), message)
    }
    known.counts.set(what, (known.counts.get(what) ?? 0) + 1)
    known.last = message
  }

  /** Tells what was only counted so far. */
  async close(): Promise<void> {
    const rest = [...this.#counting.values()]
    this.#counting.clear()
    for (const { timer } of rest) clearTimeout(timer)
    for (const { grant, counts, last } of rest) if (counts.size > 0) await this.#tell(grant, counts, last)
  }

  #count(grant: Grant, ms: number): void {
    const timer = setTimeout(() => this.#over(grant), ms).unref()
    this.#counting.set(grant.id, { grant, ms, counts: new Map(), last: "", timer })
  }

  #over(grant: Grant): void {
    const counted = this.#counting.get(grant.id)
    this.#counting.delete(grant.id)
    if (counted === undefined || counted.counts.size === 0) return
    this.#count(grant, Math.min(counted.ms * 2, this.#pace.longestMs))
    void this.#tell(grant, counted.counts, counted.last)
  }

  async #tell({ id, name }: Grant, counts: ReadonlyMap<string, number>, last: string): Promise<void> {
    const refused = Object.fromEntries(counts)
    const message = last.slice(0, LONGEST_MESSAGE)
    const payload = { code: "not_permitted", message, affected: [{ kind: "token", id }], detail: { refused } }
    // What cannot be written now is refused all the same; that the disk is full is told elsewhere.
    await this.#report({ type: "runtime.warning", payload }, { id, name })
  }
}
