export type Rows = {
  head: readonly string[]
  rows: readonly (readonly string[])[]
  /** How many there are; only the first of them are in `rows`. */
  count: number
}

const mostRows = 100

/** A list of flat records as rows and columns; nothing for any other text. */
export function tableOf(text: string, type?: string): Rows | undefined {
  if (type === "text/csv" || type === "text/tab-separated-values") return separated(text, type)
  if (type !== "application/json" && !/^\s*\[\s*\{/.test(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.length > 0 && list.every(isFlat) ? records(list) : undefined
  } catch {
    return undefined
  }
}

type Flat = Readonly<Record<string, string | number | boolean | null>>
const isFlat = (value: unknown): value is Flat =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((cell) => typeof cell !== "object" || cell === null)

function records(list: readonly Flat[]): Rows {
  const head = [...new Set(list.flatMap(Object.keys))]
  const rows = list.slice(0, mostRows).map((row) => head.map((name) => String(row[name] ?? "")))
  return { head, rows, count: list.length }
}

function separated(text: string, type: string): Rows | undefined {
  const mark = type === "text/csv" ? "," : "\t"
  const [head, ...rows] = text.trim().split(/\r?\n/)
  // Quoted cells are no matter for a preview.
  if (head === undefined || text.includes('"') || rows.length === 0) return undefined
  const shown = rows.slice(0, mostRows).map((row) => row.split(mark))
  return { head: head.split(mark), rows: shown, count: rows.length }
}
