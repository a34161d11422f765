import type { RuntimeEvent } from "@factum/facts"
import type { FactLog } from "../ports/log.ts"
import { type Use, useOf } from "./standing.ts"

/** Every request of a session so far: what it cost, or what is known of it while it is under way. */
export type Ledger = (session_id: string) => readonly Use[]

type Account = { through: number; uses: Map<string, Use> }
const mostAccounts = 64
const pageSize = 500

/** Reads the log on from where it was read last. The folded state forgets old requests, a limit must not. */
export function createLedger(log: Pick<FactLog, "read">): Ledger {
  const accounts = new Map<string, Account>()
  return (session_id) => {
    const account = accounts.get(session_id) ?? { through: 0, uses: new Map() }
    accounts.delete(session_id)
    accounts.set(session_id, account)
    const [oldest] = accounts.keys()
    if (accounts.size > mostAccounts && oldest !== undefined) accounts.delete(oldest)
    for (;;) {
      const page = log.read(session_id, account.through, pageSize)
      for (const { sequence, text } of page) {
        account.through = sequence
        // Most facts are deltas, which need not be parsed.
        if (text.includes('"cost.') || text.includes('"model.requested"'))
          enter(account.uses, JSON.parse(text))
      }
      if (page.length < pageSize) return [...account.uses.values()]
    }
  }
}

function enter(uses: Map<string, Use>, fact: RuntimeEvent): void {
  if (fact.type !== "cost.estimated" && fact.type !== "cost.recorded" && fact.type !== "model.requested")
    return
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
