/** Text as agents write it: paragraphs, lists and code. The same number gives the same text, on both sides. */

const nouns = [
  "session",
  "parser",
  "queue",
  "stream",
  "cursor",
  "index",
  "worker",
  "cache",
  "lease",
  "record",
]
const verbs = ["reads", "keeps", "closes", "repeats", "orders", "checks", "splits", "joins", "marks", "drops"]
const pick = (from: readonly string[], at: number): string => from[at % from.length] ?? ""

const sentence = (at: number): string =>
  `The ${pick(nouns, at)} ${pick(verbs, at * 3)} the \`${pick(nouns, at * 7 + 1)}\` before the ${pick(nouns, at * 5 + 2)} ${pick(verbs, at + 4)} it again, so that nothing is lost.`

const paragraph = (at: number): string => [0, 1, 2].map((more) => sentence(at * 3 + more)).join(" ")

const list = (at: number): string =>
  [0, 1, 2].map((more) => `- **${pick(nouns, at + more)}**: ${sentence(at + more)}`).join("\n")

const code = (at: number): string =>
  [
    "```ts",
    `export function ${pick(verbs, at)}${at}(${pick(nouns, at)}: string): string[] {`,
    `  const found = ${pick(nouns, at)}.split(",").map((part) => part.trim())`,
    `  // The ${pick(nouns, at + 1)} comes first.`,
    `  return found.filter((part) => part !== "" && part !== "${pick(nouns, at + 3)}")`,
    "}",
    "```",
  ].join("\n")

/** An answer of about 1 kB. */
export function answer(at: number): string {
  return [`## ${pick(nouns, at)} ${at}`, paragraph(at), code(at), list(at)].join("\n\n")
}

/** Text without end, in blocks, cut into pieces as small as a model's: each ends with a space or a line. */
export function* pieces(from: number): Generator<string> {
  for (let at = from; ; at++) {
    const block = at % 4 === 3 ? code(at) : at % 4 === 1 ? list(at) : paragraph(at)
    yield* `${block}\n\n`.match(/\S*\s+/g) ?? []
  }
}
