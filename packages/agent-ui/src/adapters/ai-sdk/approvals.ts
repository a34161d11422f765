import { fieldsOf, given, isFields, listOf, textOf } from "../translation.ts"

/** What the last message of the assistant says about calls and approvals. */
export type PostedApprovals = {
  messageId?: string
  toolCallIds: readonly string[]
  answers: readonly { actionId: string; toolCallId: string; approved: boolean; reason?: string }[]
}

/** The answers that a page gave, read from the message that it sends back. */
export function approvalsIn(message: unknown): PostedApprovals {
  const calls = listOf(message, "parts").filter((part) => textOf(part, "toolCallId") !== undefined)
  return {
    ...given({ messageId: textOf(message, "id") }),
    toolCallIds: calls.flatMap((part) => textOf(part, "toolCallId") ?? []),
    answers: calls.flatMap((part) => {
      const approval = fieldsOf(part, "approval")
      const actionId = textOf(approval, "id")
      const toolCallId = textOf(part, "toolCallId")
      if (actionId === undefined || toolCallId === undefined || !isFields(approval)) return []
      if (textOf(part, "state") !== "approval-responded" || typeof approval.approved !== "boolean") return []
      return [
        {
          actionId,
          toolCallId,
          approved: approval.approved,
          ...given({ reason: textOf(approval, "reason") }),
        },
      ]
    }),
  }
}

/** The text of a message that a page sent, and what else it holds. */
export function postedText(message: unknown): { text: string; others: readonly string[] } {
  const parts = listOf(message, "parts")
  return {
    text: parts.map((part) => (textOf(part, "type") === "text" ? (textOf(part, "text") ?? "") : "")).join(""),
    others: parts.flatMap((part) => textOf(part, "type") ?? []).filter((type) => type !== "text"),
  }
}
