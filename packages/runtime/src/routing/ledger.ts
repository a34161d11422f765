import type { RuntimeEvent } from "@factum/facts"
import type { FactLog } from "../ports/log.ts"
import { type Use, useOf } from "./standing.ts"

/** For limits with a window, which sums cannot tell. Every request of a session so far: what it cost, or what is known of it while it is under way. */
export type Ledger = (session_id: string) => readonly Use[]

/** `children` are sessions whose requests count for a turn of this one. */
type Account = {
  through: number
  uses: Map<string, Use>
  children: { session_id: string; turn_id: string }[]
}
/** As many as sessions may be at work at once: one that leaves is read again from its beginning. */
const mostAccounts = 1_024
const pageSize = 500

/** Reads the log on from where it was read last. The folded state forgets old requests, a limit must not. */
export function createLedger(log: Pick<FactLog, "read">): Ledger {
  const accounts = new Map<string, Account>()
  const usesOf = ({ session_id, turn_id }: Account["children"][number]) =>
    ledger(session_id).map((use) => ({ ...use, turn_id }))
  const ledger: Ledger = (session_id) => {
    const account = accounts.get(session_id) ?? { through: 0, uses: new Map(), children: [] }
    accounts.delete(session_id)
    accounts.set(session_id, account)
    const [oldest] = accounts.keys()
    if (accounts.size > mostAccounts && oldest !== undefined) accounts.delete(oldest)
    for (;;) {
      const page = log.read(session_id, account.through, pageSize)
      for (const { sequence, text } of page) {
        account.through = sequence
        // Most facts are deltas, which need not be parsed.
        if (
          text.includes('"cost.') ||
          text.includes('"model.requested"') ||
          text.includes('"subagent.spawned"')
        )
          enter(account, JSON.parse(text))
      }
      if (page.length < pageSize) return [...account.uses.values(), ...account.children.flatMap(usesOf)]
    }
  }
  return ledger
}

function enter({ uses, children }: Account, fact: RuntimeEvent): void {
  if (fact.type === "subagent.spawned")
    children.push({ session_id: fact.payload.child_session_id, turn_id: fact.turn_id })
  if (fact.type !== "cost.estimated" && fact.type !== "cost.recorded" && fact.type !== "model.requested")
    return
  // A child's requests are read where they were made.
  if (fact.type === "cost.recorded" && fact.payload.from !== undefined) return
  const { request_id } = fact.payload
  const begun: Use = uses.get(request_id) ?? {
    request_id,
    at: Date.parse(fact.timestamp),
    ...(fact.turn_id === undefined ? {} : { turn_id: fact.turn_id }),
    provider: "unknown",
    model: "unknown",
    tokens: "unknown",
    amount: "unknown",
    currency: "unknown",
  }
  if (fact.type === "cost.recorded") {
    const { at, turn_id } = begun
    uses.set(request_id, { ...useOf(fact), at, ...(turn_id === undefined ? {} : { turn_id }) })
  } else if (fact.type === "cost.estimated") {
    const { amount, currency } = fact.payload
    uses.set(request_id, { ...begun, amount, currency })
  } else {
    const { provider, model } = fact.payload
    uses.set(request_id, { ...begun, provider, model })
  }
}
