import { type Envelope, validateDraft } from "@factum/facts"
import { expect } from "vitest"
import type { Candidate, TaskProfile } from "../../src/routing/route.ts"

export const scope = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1", step_id: "stp_1" }

/** The facts fit the vocabulary when they are placed. */
export function valid<F extends { type: string; payload: unknown }>(facts: readonly F[]): readonly F[] {
  for (const fact of facts) {
    const place = fact.type === "limit.changed" ? {} : scope
    expect(validateDraft({ ...place, ...fact })).toMatchObject({ ok: true })
  }
  return facts
}

let sequence = 0
/** A fact as the log would keep it. */
export function logged<F extends { type: string; payload: unknown }>(
  fact: F,
  more: object = {},
): Envelope & F {
  sequence++
  const stamp = {
    event_id: `evt_${sequence}`,
    sequence,
    timestamp: "2026-01-01T00:00:00.000Z",
    schema_version: 1,
  }
  return { ...scope, ...stamp, ...more, ...fact } as unknown as Envelope & F
}

export const price = { currency: "USD", version: "2026-01", input: 3, output: 15 }

export const candidate = (model: string, more: Partial<Candidate> = {}): Candidate => ({
  provider: "p",
  model,
  context_window: 100_000,
  capabilities: ["tools"],
  price,
  ...more,
})

export const profile = (more: Partial<TaskProfile> = {}): TaskProfile => ({
  profile: "answer",
  needs: ["tools"],
  input_tokens: 1000,
  output_tokens: 500,
  ...more,
})
