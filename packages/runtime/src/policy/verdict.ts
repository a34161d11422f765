import type { EventOf, PermissionEvaluated, Verdict } from "@factum/facts"

export type Evaluated = EventOf<typeof PermissionEvaluated>["payload"]
/** One voice: `none` is silence, `error` a broken or late source. */
export type Voice = Evaluated["sources"][number]
export type Explanation = Pick<Evaluated, "operation" | "sources" | "winner" | "verdict" | "policy_version">

/** Of several voices with the winning verdict the first of these is named. */
const order: readonly Voice["source"][] = ["host", "rule", "mode", "hook", "classifier", "human"]

/** Deny over ask over allow, whoever says it. Silence asks, and so does an error. A human only settles an ask. */
export function verdictOf(sources: readonly Voice[]): Verdict {
  const says = (verdict: Voice["verdict"], human: boolean): boolean =>
    sources.some((voice) => voice.verdict === verdict && (voice.source === "human") === human)
  if (says("deny", false) || says("deny", true)) return "deny"
  if (says("allow", true)) return "allow"
  if (says("ask", false) || says("error", false)) return "ask"
  return says("allow", false) ? "allow" : "ask"
}

/** Who brought the verdict about; the mode, if nobody spoke. */
export function winnerOf(sources: readonly Voice[]): Evaluated["winner"] {
  const verdict = verdictOf(sources)
  const sorted = order.flatMap((source) => sources.filter((voice) => voice.source === source))
  const human = sorted.find((voice) => voice.source === "human" && voice.verdict === verdict)
  const speaker =
    (verdict === "allow" ? human : undefined) ??
    sorted.find((voice) => voice.verdict === verdict) ??
    sorted.find((voice) => voice.verdict === "error")
  const silent = sorted.find((voice) => voice.source === "mode") ?? sorted[0]
  const { source, rule } = speaker ?? silent ?? { source: "mode" as const, rule: "nobody was asked" }
  return { source, rule }
}

/** What was answered to an open request, bound to what was asked. */
export type Answer = { digest: string; outcome: "allowed" | "denied" | "cancelled" | "expired" }

/**
 * Whether the operation may run now: it is judged anew, under today's policy, and the answer only settles an ask about
 * exactly this operation.
 */
export function settle(now: Explanation, answer: Answer | undefined): Verdict {
  if (now.verdict !== "ask" || answer === undefined || answer.digest !== now.operation.digest)
    return now.verdict
  return answer.outcome === "allowed" ? "allow" : "deny"
}
