import type { ActionCard } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import { told, type Words } from "../i18n/words.ts"

/** What a request is about, as one question: the words around it, and what stands in the letters of code. */
export type Question = { before: string; code?: string; after: string }

export type Asked = {
  question: Question
  /** Where a command would run. */
  folder?: string
  /** What the question does not show: a long command, or what else the tool would be given. */
  body?: string
}

const longest = 120
const acts = { write: "write", read: "read", delete: "delete", speak: "speak with" } as const
type Act = keyof typeof acts

/** Made of the safe input that came with the request; what has no known form is shown as it came. */
export function askedOf(card: ActionCard, words: Words): Asked {
  const { title, input, toolName, actionType } = card
  const plain = { before: told(words, title ?? wordOf(words.catalog.actionType, actionType)), after: "" }
  if (input === undefined || toolName === undefined) return { question: plain, ...bodyOf(input?.text) }
  const { asking } = words.talk
  const command = commandIn(input.text)
  if (command !== undefined) {
    const { folder, text, more } = command
    if (isShort(text)) return { question: { ...asking.run, code: text }, folder, ...bodyOf(more) }
    const body = more === "" ? text : `${text}\n${more}`
    return { question: { before: asking.runThis, after: "" }, folder, body }
  }
  for (const act of Object.keys(acts) as Act[]) {
    const [first = "", ...rest] = input.text.split("\n")
    const subject = first.startsWith(`${acts[act]} `) ? first.slice(acts[act].length + 1) : undefined
    // Only what touches a single thing can be said in one question.
    if (subject === undefined || !isShort(subject) || isTouch(rest[0])) continue
    // Only the first line can be the path that the question says; below it, a text may look like one.
    const others = (names(rest[0] ?? "", subject) ? rest.slice(1) : rest).join("\n")
    return { question: { ...asking[act], code: subject }, ...bodyOf(others) }
  }
  return { question: plain, ...bodyOf(input.text) }
}

export const askedText = (card: ActionCard, words: Words): string => {
  const { before, code = "", after } = askedOf(card, words).question
  return before + code + after
}

const isShort = (text: string) => text.length <= longest && !text.includes("\n")
const isTouch = (line = "") => /^(?:run in|write|read|delete|speak with) \S/.test(line)
/** A line of the input that says only what the question says: the path or address once more. */
const names = (line: string, subject: string) => {
  const value = /^\w+: (.+)$/.exec(line)?.[1]
  return value !== undefined && (value === subject || subject.endsWith(`/${value.replace(/^\.\//, "")}`))
}
const bodyOf = (text: string | undefined) => (text === undefined || text === "" ? {} : { body: text })

/** The runtime tells a command twice: where it runs, and as the tool's own input. Both must say the same. */
function commandIn(text: string): { folder: string; text: string; more: string } | undefined {
  const [, folder, rest = ""] = /^run in (.+?): ([\s\S]*)$/.exec(text) ?? []
  if (folder === undefined) return undefined
  for (const sign of ["\ncommand: ", "\ncommand:\n"]) {
    const at = rest.indexOf(sign)
    if (at < 0) continue
    const command = rest.slice(0, at)
    const given = rest.slice(at + sign.length)
    if (given.startsWith(command)) return { folder, text: command, more: given.slice(command.length).trim() }
  }
  return undefined
}

/** Why a person is asked, in their words: the mode or rule, and what of the operation it is about. */
export function whyAsked(summary: string, words: Words): string {
  const [, rule = "", detail = ""] = /^Asked because of (.+?)\.(?:\s([\s\S]+?)\.?)?$/.exec(summary) ?? []
  if (rule === "") return told(words, summary)
  const { because, becauseMode, becauseRule } = words.talk
  const mode = /^mode: (\w+)$/.exec(rule)?.[1]
  const by = (mode !== undefined && becauseMode[mode]) || becauseRule(rule)
  // What it is about stands in the question already; what is said of it does not.
  const about = detail.replace(/^`[^`]*`: /, "")
  return because(by, about === "" ? undefined : told(words, about))
}
