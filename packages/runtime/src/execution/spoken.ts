import type { ModelRequest, OutputPart } from "@factum/facts"
import { type AssistantMessage, carrierName, type Declaration, readOutput } from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { rosterOf } from "../executors/roster.ts"
import { cutOf } from "./cut-answer.ts"

/** What the model gave, without the words that were taken out of its declaration for people. */
export function messageOf({ parts }: Pick<ModelRequest, "parts">): AssistantMessage {
  const calls = parts.flatMap((part) =>
    part.kind === "tool_call" ? [{ id: part.call_id, name: part.tool, arguments: part.arguments }] : [],
  )
  return { text: joined(parts.filter((part) => !isTakenOut(part, parts))), calls, complete: true }
}

/** All that people read of an answer. */
export function shownText({ parts }: Pick<ModelRequest, "parts">): string {
  const words = parts.filter((part) => isTakenOut(part, parts))
  return paragraphs(messageOf({ parts }).text, joined(words))
}

/**
 * The parts of an answer, and the words of its declaration as one more: they stand in the arguments of a call, which
 * nobody is shown.
 */
export function withWords(request: Pick<ModelRequest, "parts" | "finish">, agent: Agent): OutputPart[] {
  const { parts } = request
  const carrier = parts.find(isCarrier) ?? parts.findLast(isText)
  if (!agent.protocol || carrier === undefined || cutOf(request) !== undefined) return [...parts]
  const message = messageOf(request)
  const read = readOutput(message, rosterOf(agent))
  const words = read.kind === "declaration" ? wordsOf(read.declaration) : ""
  if (words === "" || message.text.includes(words)) return [...parts]
  return [...parts, { kind: "text", part_id: carrier.part_id + takenOut, text: words }]
}

/** A declaration that ends the turn, in the words that people read and the model is told later. */
export function toldText(declaration: Declaration, { text, calls }: AssistantMessage): string {
  const words = wordsOf(declaration)
  if (words === "" || text.includes(words)) return text
  return calls.some(({ name }) => name === carrierName) ? paragraphs(text, words) : words
}

function wordsOf(declaration: Declaration): string {
  switch (declaration.intent) {
    case "answer":
    case "done":
      return (declaration.message ?? "").trim()
    case "outcome":
      return (declaration.outcome.message ?? "").trim()
    default:
      return (declaration.note ?? "").trim()
  }
}

const takenOut = "/message"

const isTakenOut = (part: OutputPart, parts: readonly OutputPart[]): boolean =>
  isText(part) &&
  parts.some((one) => (isText(one) || isCarrier(one)) && one.part_id + takenOut === part.part_id)

const isText = (part: OutputPart) => part.kind === "text" || part.kind === "structured"
const isCarrier = (part: OutputPart) => part.kind === "tool_call" && part.tool === carrierName

const joined = (parts: readonly OutputPart[]): string =>
  parts.map((part) => (part.kind === "text" || part.kind === "structured" ? part.text : "")).join("")

const paragraphs = (...texts: readonly string[]): string => texts.filter((text) => text !== "").join("\n\n")
