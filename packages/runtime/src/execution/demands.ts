import type { SessionState } from "@factum/facts"
import { z } from "zod"

const Wanted = z.union([
  z.literal(true),
  z.strictObject({
    kind: z.string().min(1).optional(),
    media_type: z.string().min(1).optional(),
    title: z.string().min(1).optional(),
  }),
])
const Proof = z.union([
  z.literal(true),
  z.strictObject({ kind: z.string().min(1).optional(), verdict: z.enum(["passed"]).optional() }),
])

/** `demands` in the options of a turn: what must be on record before it may read completed. */
export const Demands = z.strictObject({ artifact: Wanted.optional(), evidence: Proof.optional() })
export type Demands = z.infer<typeof Demands>

type Missing = { missing: "artifact" | "evidence"; detail: string }

export function demandsOf(state: SessionState, turn_id: string): Demands {
  const parsed = Demands.safeParse(state.entities.turns[turn_id]?.options?.demands ?? {})
  return parsed.success ? parsed.data : {}
}

/** What a turn demands and the log does not have; said by its owner, never read out of an answer. */
export function unmet(state: SessionState, turn_id: string): Missing | undefined {
  const { artifact, evidence } = demandsOf(state, turn_id)
  if (artifact !== undefined && !hasArtifact(state, turn_id, artifact === true ? {} : artifact))
    return { missing: "artifact", detail: `The turn demands ${named("an artifact", artifact)}.` }
  if (evidence !== undefined && !hasEvidence(state, turn_id, evidence === true ? {} : evidence))
    return { missing: "evidence", detail: `The turn demands ${named("evidence", evidence)}.` }
  return undefined
}

/** For the model, which can supply most of it. */
export function demandText(demands: Demands): string {
  const wants = [
    demands.artifact && named("an artifact", demands.artifact),
    demands.evidence && named("evidence", demands.evidence),
  ].filter((text) => text !== undefined)
  return wants.length === 0 ? "" : `This turn is complete only when there is ${wants.join(" and ")}.`
}

function hasArtifact(state: SessionState, turn_id: string, wanted: Exclude<Demands["artifact"], true>) {
  return Object.values(state.entities.artifacts).some(
    (one) =>
      one.status === "present" &&
      one.turn_id === turn_id &&
      (["kind", "media_type", "title"] as const).every(
        (name) => wanted?.[name] === undefined || wanted[name] === one[name],
      ),
  )
}

function hasEvidence(state: SessionState, turn_id: string, wanted: Exclude<Demands["evidence"], true>) {
  return Object.values(state.entities.evidences).some(
    ({ about, kind, verdict }) =>
      about?.kind === "turn" &&
      about.id === turn_id &&
      (wanted?.kind === undefined || wanted.kind === kind) &&
      (wanted?.verdict === undefined || wanted.verdict === verdict),
  )
}

function named(what: string, wanted: true | Readonly<Record<string, string | undefined>>): string {
  const details = wanted === true ? [] : Object.entries(wanted).map(([name, value]) => `${name} ${value}`)
  return details.length === 0 ? what : `${what} (${details.join(", ")})`
}
