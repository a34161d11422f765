const usual = 800

/** Cuts a text at line ends into blocks that stay the same while it grows, so that only the last is drawn again. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let from = 0
  while (text.length - from > usual) {
    const end = text.indexOf("\n", from + usual)
    if (end < 0) break
    blocks.push(text.slice(from, end + 1))
    from = end + 1
  }
  return [...blocks, text.slice(from)]
}
