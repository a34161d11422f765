export type Level = "MUST" | "SHOULD" | "EDGE"
export type Rule = { id: string; area: string; level: Level; rule: string; proof: string }

/** Reads the rows `| RT-ACT-3 | EDGE | rule | proof |` of a catalog; other tables in it are left alone. */
export function parseRules(markdown: string): Rule[] {
  return markdown.split("\n").flatMap((line) => {
    const [id = "", level = "", rule = "", proof = ""] = cellsOf(line)
    if (!isRuleId(id) || !isLevel(level)) return []
    return [{ id, area: areaOf(id), level, rule, proof }]
  })
}

/** An id names one rule, so a second row with the same id is a mistake in the catalogs. */
export function repeatedIds(rules: readonly Rule[]): string[] {
  const seen = new Set<string>()
  return rules.flatMap(({ id }) => {
    if (seen.has(id)) return [id]
    seen.add(id)
    return []
  })
}

export const areaOf = (id: string) => id.replace(/-\d+$/, "")

export const isRuleId = (text: string) => /^[A-Z][A-Z0-9]*-[A-Z][A-Z0-9]*-\d+$/.test(text)

const isLevel = (text: string): text is Level => text === "MUST" || text === "SHOULD" || text === "EDGE"

function cellsOf(line: string): string[] {
  if (!line.startsWith("|")) return []
  // A pipe inside a cell is written with a backslash.
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"))
  return cells.slice(1, -1)
}
