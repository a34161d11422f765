/** Whether a name fits a pattern in which `*` stands for any characters. */
export function fits(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*")
  if (rest.length === 0) return name === first
  const last = rest.pop() ?? ""
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false
  const end = name.length - last.length
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
