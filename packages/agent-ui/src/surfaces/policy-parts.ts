import type { PermissionEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { given } from "./who.ts"

/** What only lasts when it is proved: by a ref, or because its own fact is durable. */
const durable: readonly unknown[] = ["snapshot", "archive", "evidence_pack", "transcript"]

/** Of each part of a policy, the fact that told it last; facts about single calls count to whoever made them. */
const parts = [
  "mode",
  "planMode",
  "sandbox",
  "budget",
  "locked",
  "verdict",
  "approval",
  "violation",
  "escalation",
  "risk",
  "waiver",
  "retention",
  "policyVersion",
] as const satisfies readonly (keyof PermissionEntity)[]

/** Many facts about one subject as one policy: each part as it was told last. */
export function policyOf(
  subjectKey: string,
  told: readonly PermissionEntity[],
): PermissionEntity | undefined {
  const inOrder = told.toSorted((a, b) => timeOf(a) - timeOf(b) || sequenceOf(a) - sequenceOf(b))
  const newest = inOrder.at(-1)
  if (newest === undefined) return undefined
  const by = parts.map((part) => inOrder.findLast((one) => one[part] !== undefined && isOpen(part, one)))
  return merged(newest, subjectKey, ...by)
}

/** Who asked for more and was answered no longer asks. */
const isOpen = (part: string, { approval }: PermissionEntity) =>
  part !== "escalation" || approval === undefined || approval === "pending"

const merged = kept(
  (
    newest: PermissionEntity,
    subjectKey: string,
    ...by: readonly (PermissionEntity | undefined)[]
  ): PermissionEntity => {
    const { origin, opened } = newest
    const from = (part: (typeof parts)[number]) => by[parts.indexOf(part)]
    const lasting = (part: "waiver" | "retention") => {
      const fact = from(part)
      const proved = fact?.[part]?.ref !== undefined || durable.includes(fact?.origin.persistence)
      return proved ? fact : undefined
    }
    return {
      origin,
      opened,
      subjectKey,
      ...given({
        mode: from("mode")?.mode,
        planMode: from("planMode")?.planMode,
        sandbox: from("sandbox")?.sandbox,
        budget: from("budget")?.budget,
        locked: from("locked")?.locked,
        verdict: from("verdict")?.verdict,
        // The explanation belongs to its verdict.
        explanation: from("verdict")?.explanation,
        approval: from("approval")?.approval,
        violation: from("violation")?.violation,
        escalation: from("escalation")?.escalation,
        risk: from("risk")?.risk,
        waiver: lasting("waiver")?.waiver,
        retention: lasting("retention")?.retention,
        policyVersion: from("policyVersion")?.policyVersion,
      }),
    }
  },
)

const timeOf = ({ origin }: PermissionEntity): number => Date.parse(origin.timestamp ?? "") || 0
const sequenceOf = ({ origin, opened }: PermissionEntity): number => origin.sequence ?? opened
