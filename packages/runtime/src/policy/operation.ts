import { createHash } from "node:crypto"
import type { Operation } from "@factum/facts"
import { canonical } from "@factum/protocol"
import type { Touch } from "../ports/tool.ts"

const longest = 2_000

/**
 * Exactly what is judged. The digest is over the name, the arguments and what they touch, so other arguments, or a link
 * that now leads elsewhere, make another operation.
 */
export function operationOf(
  tool: string,
  input: unknown,
  touches: readonly Touch[],
  more: { kind?: Operation["kind"]; mask?: (text: string) => string } = {},
): Operation {
  const { kind = "tool", mask = (text) => text } = more
  const digest = createHash("sha256").update(canonical({ tool, input, touches })).digest("hex")
  const whole = visible(mask(summaryOf(input, touches)))
  const text = whole.length > longest ? `${whole.slice(0, longest - 1)}…` : whole
  return {
    kind,
    name: tool,
    digest: `sha256:${digest}`,
    summary: { text, whole: text.length === whole.length && text === whole },
  }
}

function summaryOf(input: unknown, touches: readonly Touch[]): string {
  if (touches.length === 0) return canonical(input)
  return touches.map(touchText).join("\n")
}

function touchText(touch: Touch): string {
  switch (touch.kind) {
    case "command":
      return `run in ${touch.cwd ?? "an unknown folder"}: ${touch.command}`
    case "network":
      return `speak with ${touch.url}`
    case "other":
      return touch.name
    default:
      return `${touch.kind} ${touch.path}`
  }
}

/** Letters that would hide or turn around what a person reads are written out. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (letter) =>
    letter === "\n" || letter === "\t" ? letter : `\\u{${letter.codePointAt(0)?.toString(16) ?? ""}}`,
  )
}
