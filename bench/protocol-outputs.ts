/** What tools print, made up but the same in every run: logs, matches and sources with realistic lengths of lines. */
export const packages = ["facts", "store", "runtime", "gateway", "models", "tools", "client", "workbench"]

const nouns = [
  "session",
  "stream",
  "lease",
  "cursor",
  "budget",
  "window",
  "record",
  "branch",
  "signal",
  "queue",
]
const verbs = [
  "keeps",
  "drops",
  "renews",
  "orders",
  "rejects",
  "repeats",
  "closes",
  "folds",
  "replays",
  "joins",
]
const ends = [
  "after a restart",
  "when the disk is full",
  "with two writers",
  "before the first fact",
  "in order",
]

/** A small generator of numbers from 0 up to `below`, the same for the same seed. */
function dice(seed: string): (below: number) => number {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619)
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9
    return ((state >>> 8) ^ (state >>> 20)) % below
  }
}

const lines = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => line(index))

export const failingTest = (name: string): string => `${name} > renews the lease twice`

/** A test runner's log: a line per test, and the details of one failing test if there is one. */
export function testLog(name: string, options: { tests?: number; failing?: boolean } = {}): string {
  const { tests = 120, failing = false } = options
  const roll = dice(name)
  const pick = (words: readonly string[]) => words[roll(words.length)] ?? ""
  const passed = lines(
    tests,
    (index) =>
      ` ✓ packages/${name}/test/${pick(nouns)}.test.ts (${index % 9} tests) > ${pick(verbs)} the ${pick(nouns)} ${pick(ends)} ${roll(90)}ms`,
  )
  const failure = [
    ` FAIL  packages/${name}/test/lease.test.ts > ${failingTest(name)}`,
    "AssertionError: expected 1 to be 2 // Object.is equality",
    `  at packages/${name}/test/lease.test.ts:${40 + roll(200)}:23`,
  ]
  return [
    ` RUN  v4.0.1 packages/${name}`,
    ...passed,
    ...(failing ? failure : []),
    ` Test Files  ${failing ? "1 not passed | " : ""}14 passed`,
    `      Tests  ${tests} passed`,
  ].join("\n")
}

/** What a compiler and a bundler print when they say what they do. */
export function buildLog(name: string): string {
  const roll = dice(`build ${name}`)
  const emitted = lines(
    70,
    (index) =>
      `packages/${name}/dist/${nouns[roll(nouns.length)]}-${index}.js  ${(roll(9000) / 100).toFixed(2)} kB │ gzip: ${(roll(3000) / 100).toFixed(2)} kB │ map: ${roll(400)}.${roll(99)} kB`,
  )
  return [`building ${name} for production...`, "transforming...", ...emitted, "✓ built in 1.9s"].join("\n")
}

export function coverage(name: string): string {
  const roll = dice(`coverage ${name}`)
  const rows = lines(
    60,
    (index) =>
      `packages/${name}/src/${nouns[index % nouns.length]}-${index}.ts | ${70 + roll(31)} | ${60 + roll(41)} | ${70 + roll(31)} | ${roll(400)}-${400 + roll(90)},${500 + roll(99)}`,
  )
  return ["File | % Stmts | % Branch | % Funcs | Uncovered", ...rows].join("\n")
}

/** Matches of a search with file, line and text. */
export function matches(pattern: string, count = 60): { output: string; data: object } {
  const roll = dice(pattern)
  const files = packages.map((name) => `packages/${name}/src/${nouns[roll(nouns.length)]}.ts`)
  const found = lines(
    count,
    () =>
      `${files[roll(files.length)]}:${1 + roll(400)}:  const ${nouns[roll(nouns.length)]} = await ${pattern}(${nouns[roll(nouns.length)]}.id, { ${nouns[roll(nouns.length)]}: true })`,
  )
  return { output: found.join("\n"), data: { count, files } }
}

/** A source file. */
export function source(name: string, functions = 24): string {
  const roll = dice(`source ${name}`)
  const noun = () => nouns[roll(nouns.length)] ?? ""
  return lines(functions, (index) => {
    const [what, other] = [noun(), noun()]
    return [
      `export function ${what}${index}(${other}: ${other}Options): ${what}Result {`,
      `  const found = ${other}.list.find((entry) => entry.${noun()} === ${roll(100)})`,
      `  if (found === undefined) return { ok: false, reason: "no ${other} of ${name}" }`,
      `  return { ok: true, value: found.${noun()} + ${roll(10)} }`,
      "}",
      "",
    ].join("\n")
  }).join("\n")
}
