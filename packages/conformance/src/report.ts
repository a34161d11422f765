import { existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { type Coverage, coverage, coveredIds, grown, lost, type TestTitle } from "./coverage.ts"
import { parseRules, type Rule, repeatedIds } from "./rules.ts"

const home = fileURLToPath(new URL("..", import.meta.url))
const root = fileURLToPath(new URL("../../..", import.meta.url))
const baselinePath = join(home, "baseline.json")
const titlesPath = join(root, "reports", "titles.json")
const sources = "{packages,apps}/*/{src,test}/**/*.{ts,tsx}"

export function readCatalogs(folder = join(home, "rules")): Rule[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"))
  return names.sort().flatMap((name) => parseRules(readFileSync(join(folder, name), "utf8")))
}

/** Per area what is covered, then the rules that are not. */
export function summary(
  found: Coverage,
  only: { area?: string | undefined; missing?: boolean | undefined } = {},
): string[] {
  const rules = found.rules.filter(({ area }) => only.area === undefined || area === only.area)
  const areas = [...Map.groupBy(rules, ({ area }) => area)].map(([area, members]) => {
    const done = members.filter(({ status }) => status === "covered").length
    return `${area.padEnd(12)} ${String(done).padStart(4)} / ${members.length}`
  })
  const done = rules.filter(({ status }) => status === "covered").length
  const rest = rules
    .filter(({ status }) => status !== "covered")
    .map(({ id, level, status, rule }) => `${id.padEnd(14)} ${level.padEnd(6)} ${status.padEnd(8)} ${rule}`)
  if (only.missing) return rest
  return [
    ...areas,
    `${"all".padEnd(12)} ${String(done).padStart(4)} / ${rules.length}`,
    ...strangers(found),
    "",
    ...rest,
  ]
}

function main(): number {
  const { values } = parseArgs({
    options: {
      missing: { type: "boolean" },
      area: { type: "string" },
      check: { type: "boolean" },
      update: { type: "boolean" },
    },
  })
  const rules = readCatalogs()
  const repeated = repeatedIds(rules)
  if (repeated.length > 0) return say([`The catalogs name these ids twice: ${repeated.join(", ")}`], 1)
  if (values.area && !rules.some(({ area }) => area === values.area)) {
    return say([`No catalog has an area ${values.area}.`], 1)
  }
  const titles = readTitles()
  if (!titles) return say(["Which tests pass is not known yet: run npm test first."], 1)
  if (isOlderThanSources()) say(["The sources are newer than the last npm test, which this tells about."], 0)
  const found = coverage(rules, titles)
  if (values.update) return update(found)
  return values.check ? check(found) : say(summary(found, values), 0)
}

/** What is wrong: covered no longer, covered and not kept, or named in a title and in no catalog. */
export function faults(baseline: readonly string[], found: Coverage): string[] {
  const status = new Map<string, string>(found.rules.map((rule) => [rule.id, rule.status]))
  const kept = new Set(baseline)
  const fresh = coveredIds(found).filter((id) => !kept.has(id))
  return [
    ...lost(baseline, found).map(
      (id) => `${id} was covered and no longer is: ${status.get(id) ?? "in no catalog"}`,
    ),
    ...strangers(found),
    ...fresh.map((id) => `${id} is covered and not in the baseline: npm run rules -- --update keeps it`),
  ]
}

const strangers = (found: Coverage): string[] =>
  found.strangers.map(({ id, file }) => `${file}: the title names ${id}, which no catalog has`)

function check(found: Coverage): number {
  const wrong = faults(readBaseline(), found)
  if (wrong.length > 0) return say(wrong, 1)
  return say([`${coveredIds(found).length} of ${found.rules.length} rules are covered.`], 0)
}

function update(found: Coverage): number {
  const before = readBaseline()
  const after = grown(before, found)
  writeFileSync(baselinePath, `${JSON.stringify(after, null, 2)}\n`)
  return say([`${after.length - before.length} rules added; the baseline holds ${after.length}.`], 0)
}

function readTitles(): TestTitle[] | undefined {
  return existsSync(titlesPath) ? JSON.parse(readFileSync(titlesPath, "utf8")).tests : undefined
}

function readBaseline(): string[] {
  return existsSync(baselinePath) ? JSON.parse(readFileSync(baselinePath, "utf8")) : []
}

function isOlderThanSources(): boolean {
  const written = statSync(titlesPath).mtimeMs
  return globSync(sources, { cwd: root }).some((path) => statSync(join(root, path)).mtimeMs > written)
}

function say(lines: readonly string[], code: number): number {
  console.log(lines.join("\n"))
  return code
}

if (process.argv[1] === import.meta.filename) process.exitCode = main()
