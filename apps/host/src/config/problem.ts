/** What is wrong in a file, and what to do. Lines and columns count from 1. */
export type ConfigProblem = { file: string; line: number; column: number; message: string; fix: string }

export type Place = { line: number; column: number }

export function told({ file, line, column, message, fix }: ConfigProblem): string {
  return `${file}:${line}:${column}: ${message} ${fix}`
}

/** The known name that is most like the given one, if any is like it at all. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const scored = known.map((name) => {
    const far = distance(given.toLowerCase(), name.toLowerCase())
    return { name, far, longer: Math.abs(name.length - given.length) }
  })
  const [best] = scored.toSorted((a, b) => a.far - b.far || a.longer - b.longer)
  return best !== undefined && best.far <= Math.max(2, Math.floor(given.length / 3)) ? best.name : undefined
}

/** How many letters have to be changed, added, taken away or exchanged with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const exchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : change
      row.push(Math.min(change, exchanged, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return at(a.length, b.length)
}
