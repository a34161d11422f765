import type { Origin } from "./action.ts"
import type { IssueCode } from "./issues.ts"

/** What reading one output leaves for the log. */
export type ParseNote =
  /** How the output ended: as the protocol asks, by recovery, or not at all. One for each output. */
  | {
      kind: "read"
      result: "declared" | "recovered" | "refused"
      origin?: Origin
      codes: readonly IssueCode[]
    }
  /** A protocol violation whose intent was clear; one for each call. */
  | { kind: "recovered"; origin: "recovered_call" | "recovered_text"; call: string; source: string }
  /** A second carrier beside the declaration, which was not executed. */
  | { kind: "ignored"; carrier: "block" | "call"; source: string }
  | { kind: "legacy"; item: string }

export type Rates = {
  outputs: number
  declared: number
  recovered: number
  refused: number
  /** Share of the outputs that kept to the protocol; 1 when there were none. */
  compliance: number
  /** Share of the violations that could be recovered; 1 when there were none. */
  recovery: number
}

export function rates(notes: readonly ParseNote[]): Rates {
  const count = (result: "declared" | "recovered" | "refused") =>
    notes.filter((note) => note.kind === "read" && note.result === result).length
  const declared = count("declared")
  const recovered = count("recovered")
  const refused = count("refused")
  const outputs = declared + recovered + refused
  const violations = recovered + refused
  return {
    outputs,
    declared,
    recovered,
    refused,
    compliance: outputs === 0 ? 1 : declared / outputs,
    recovery: violations === 0 ? 1 : recovered / violations,
  }
}
