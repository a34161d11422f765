/** How far a growing text may be read aloud: to its last whole sentence or line, or to its end. */
export function spokenTo(text: string, from: number, isWhole: boolean): number {
  if (isWhole) return text.length
  let to = from
  for (const { index, 0: end } of text.slice(from).matchAll(/[.!?…]["')\]]*\s|[。！？；]|\n/gu)) {
    to = from + index + end.length
  }
  return to
}
