import { type AssistantMessage, carrierName, readOutput, type Setup } from "../src/index.ts"

const filled = (piece: string, size: number): string =>
  piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const numbered = (size: number, piece: (index: number) => string): string => {
  const parts: string[] = []
  for (let length = 0, index = 0; length < size; index++) {
    const part = piece(index)
    parts.push(part)
    length += part.length + 1
  }
  return parts.join(",")
}

const said = (text: string): AssistantMessage => ({ text, calls: [], complete: true })
const called = (args: string, text = ""): AssistantMessage => ({
  text,
  calls: [{ id: "a", name: carrierName, arguments: args }],
  complete: true,
})
const direct = (args: readonly string[]): AssistantMessage => ({
  text: "",
  calls: args.map((one, index) => ({ id: `c${index}`, name: "glob", arguments: one })),
  complete: true,
})
const listed = (field: string, entries: string) =>
  `{"type":"agent.protocol","version":"1","intent":"execute","payload":{"type":"action_graph","actions":[{"type":"action","id":"a","${field}":[${entries}]}]}}`

/** Outputs that are made to be slow to read, each of about `size` characters, by what is odd about them. */
export function hostileMessages(size: number): Readonly<Record<string, AssistantMessage>> {
  const marked = "```json agent-protocol\n"
  const text = (piece: string) => said(`${filled(piece, size)}\n${marked}{}\n\`\`\`\n`)
  return {
    "nested quotations": text("> "),
    "nested lists": text("- "),
    "marks under nested quotations": said(`${"> ".repeat(19)}a\n${filled("<\n", size)}${marked}`),
    "lines under nested quotations": said(`${"> ".repeat(19)}a\n${filled("b\n", size)}${marked}`),
    "lines under nested lists": said(`${"- ".repeat(19)}a\n${filled("b\n", size)}${marked}`),
    "blank lines under nested lists": said(`${"- ".repeat(size / 4)}a\n${filled("\n", size / 2)}${marked}`),
    "fences in short quotations": text("> ```\nb\n"),
    "headings in short quotations": text("> # h\nb\n"),
    "code in short quotations": text(">     c\nb\n"),
    "comments in short quotations": text("> <!--\nb\n"),
    "items in short quotations": text("> - ```\nb\n"),
    "quotations in short quotations": text("> > ```\n> b\n"),
    "short lists": text("* a\n"),
    "loose lists": text("- x\n\n  y\n"),
    "open fences": text("```\n"),
    "fences of growing length": said(numbered(size, (index) => `\n${"`".repeat((index % 500) + 3)}\n`)),
    "marked fences": text(marked),
    headings: text("# h\n"),
    "underlined headings": text("a\n===\n"),
    "link definitions": text("[a]: b\n"),
    "open brackets": text("["),
    "open comments": text("<!--"),
    "open elements": text("<tool_call>\n"),
    backticks: text("` "),
    "carriage returns": text("\r"),
    "zero characters": text("\0"),
    "nested arrays": called("[".repeat(size)),
    "nested objects": called(filled('{"a":', size)),
    escapes: called(`"${filled("\\u0061", size)}"`),
    digits: called(filled("1", size)),
    "many keys": called(`{${numbered(size, (index) => `"k${index}":1`)}}`),
    "many extensions": called(`{"kind":"act","calls":[{${numbered(size, (index) => `"x_${index}":1`)}}]}`),
    "many calls": called(`{"kind":"act","calls":[${numbered(size, () => "{}")}]}`),
    "many items": called(`{"version":"2","items":[${numbered(size, () => "null")}]}`),
    "many dependencies": called(
      listed(
        "depends_on",
        numbered(size, (index) => `"k${index}"`),
      ),
    ),
    "many references": called(
      listed(
        "context_refs",
        numbered(size, (index) => `"md:${index}x"`),
      ),
      filled("# 1x\n", size),
    ),
    "repeated keys": called(`{${numbered(size, () => '"a":1')}}`),
    "repeated keys below a long one": called(
      `{"${filled("a", size / 2)}":{${numbered(size / 2, () => '"a":1')}}}`,
    ),
    "extensions below a long key": called(
      `{"${filled("a", size / 2)}":{${numbered(size / 2, (index) => `"x_${index}":1`)}}}`,
    ),
    "numbers for references": called(
      listed(
        "context_refs",
        numbered(size, () => "1"),
      ),
    ),
    "unknown fields": called(`{"kind":"act","calls":[{${numbered(size, (index) => `"k${index}":1`)}}]}`),
    "definitions with open titles": text('[a]: b "\n'),
    "quoted paragraphs": text(">a\n\n"),
    "lists with tabs": text("-\ta\n\t-\tb\n"),
    "ordered lists": text("1. a\n"),
    "one long line": text("a"),
    "blank lines": text("\n"),
    "halves of pairs": text("\ud800\n"),
    "written calls": text("```tool_call\n{}\n```\n"),
    "direct calls": direct(
      filled("{},", size / 8)
        .split(",")
        .slice(0, -1),
    ),
    "a direct call with repeated keys": direct([`{${numbered(size, () => '"a":1')}}`]),
    "a direct call with many arguments": direct([`{${numbered(size, (index) => `"k${index}":"md:x"`)}}`]),
    "a long name": called(`{"kind":"act","calls":[{"id":"a","type":"tool","name":"${filled("x", size)}"}]}`),
  }
}

export const hostileSetup: Setup = {
  authority: { agent: "planner", enabled: true, depth: 0 },
  executors: [],
  // As if there were no limit of size: what is measured is the reading itself.
  limits: { message: 1 << 24, declaration: 1 << 24 },
}

/** Milliseconds of computing that each takes to be answered, the slowest first. */
export function timeHostile(size = 1 << 20): { name: string; ms: number }[] {
  const times = Object.entries(hostileMessages(size)).map(([name, message]) => {
    const start = process.cpuUsage()
    readOutput(message, hostileSetup)
    const { user, system } = process.cpuUsage(start)
    return { name, ms: (user + system) / 1000 }
  })
  return times.sort((a, b) => b.ms - a.ms)
}

if (process.argv[1] === import.meta.filename)
  for (const { name, ms } of timeHostile()) console.log(`${ms.toFixed(0).padStart(6)} ms  ${name}`)
