/** What an edit takes away and puts there, as a unified diff; `rest` is what else the tool is given. */
export type EditDiff = { diff: string; rest: string }

/**
 * Of an input that is told as `old_text` and `new_text`, one below the other. A text that holds such a mark itself could
 * lie about where the other begins: it is then shown as it came.
 */
export function editDiff(input: string): EditDiff | undefined {
  const text = `\n${input}`
  const marks = [...text.matchAll(/\n(old_text|new_text|replace_all):(?: |\n|$)/g)]
  const [old, next, all] = marks
  if (old?.[1] !== "old_text" || next?.[1] !== "new_text" || marks.length > 3) return undefined
  if (all !== undefined && (all[1] !== "replace_all" || text.slice(all.index + 1).includes("\n")))
    return undefined
  const end = all?.index ?? text.length
  const [before, after] = [
    text.slice(old.index + old[0].length, next.index),
    text.slice(next.index + next[0].length, end),
  ]
  return {
    diff: linesOf(before.split("\n"), after === "" ? [] : after.split("\n")).join("\n"),
    rest: `${text.slice(1, old.index)}${text.slice(end)}`.trim(),
  }
}

/** The lines in common at both ends stay; between them, first what goes, then what comes. */
function linesOf(before: readonly string[], after: readonly string[]): string[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line)
  return [
    ...signed(" ", before.slice(0, head)),
    ...signed("-", before.slice(head, before.length - tail)),
    ...signed("+", after.slice(head, after.length - tail)),
    ...signed(" ", before.slice(before.length - tail)),
  ]
}
