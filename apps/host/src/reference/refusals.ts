import { refusalCodes } from "@factum/facts"
import { type AnswerCode, refusalStatus } from "../refusal-status.ts"
import { jsonBody, refTo } from "./schema.ts"

/** By status, with the codes that it may stand for. */
export function refusalResponses(codes: readonly AnswerCode[]): Record<string, unknown> {
  const byStatus = Map.groupBy(new Set(codes), (code) => refusalStatus[code])
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      { description: `Refused: ${members.join(", ")}.`, content: jsonBody(refTo("Refused")) },
    ]),
  )
}

/** Every code of a refusal with the status that it is answered with. */
export const statusTable = (): readonly { code: AnswerCode; status: number }[] =>
  [...refusalCodes, "rate_limited" as const, "internal_error" as const].map((code) => ({
    code,
    status: refusalStatus[code],
  }))
