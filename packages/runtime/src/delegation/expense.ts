import type { Envelope, RuntimeEvent, SessionState } from "@factum/facts"
import type { Draft } from "../decision.ts"
import type { FactLog, StoredFact } from "../ports/log.ts"
import type { Child } from "./link.ts"

type Scope = { session_id: string; thread_id: string; turn_id: string }
const pageSize = 500

/**
 * What a child's requests cost, told again where its parent works, each once: under the same request, and with the
 * place of the child's own fact, so that whoever goes on knows where to begin.
 */
export function expenses(
  parent: SessionState,
  scope: Scope,
  { subagent_id, session_id: child }: Pick<Child, "subagent_id" | "session_id">,
  page: readonly StoredFact[],
): Draft[] {
  const told = toldThrough(parent, subagent_id)
  const { session_id, thread_id, turn_id } = scope
  return page.flatMap(({ sequence, text }): Draft[] => {
    // Most facts are deltas, which need not be parsed.
    if (sequence <= told || !text.includes('"cost.recorded"')) return []
    const fact = JSON.parse(text) as Envelope & RuntimeEvent
    if (fact.type !== "cost.recorded") return []
    const payload = { ...fact.payload, from: { session_id: child, sequence } }
    return [{ type: "cost.recorded", session_id, thread_id, turn_id, subagent_id, payload }]
  })
}

/** All that was not told yet. */
export function unpaid(
  log: Pick<FactLog, "read">,
  parent: SessionState,
  scope: Scope,
  child: Pick<Child, "subagent_id" | "session_id">,
): Draft[] {
  const facts: Draft[] = []
  for (let after = toldThrough(parent, child.subagent_id); ; ) {
    const page = log.read(child.session_id, after, pageSize)
    facts.push(...expenses(parent, scope, child, page))
    after = page.at(-1)?.sequence ?? after
    if (page.length < pageSize) return facts
  }
}

const toldThrough = ({ entities }: SessionState, subagent_id: string): number =>
  entities.childSpendings[subagent_id]?.through ?? 0
