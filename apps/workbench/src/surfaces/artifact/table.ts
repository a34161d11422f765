/** Rows of text that separates its cells, with quoted ones as the format allows. Bounded: a preview is no spreadsheet. */
export function rowsOf(text: string, separator: "," | "\t", most = 500): { rows: string[][]; cut: boolean } {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ""
  let quoted = false
  const endRow = () => {
    row.push(cell)
    if (row.length > 1 || row[0] !== "") rows.push(row)
    row = []
    cell = ""
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') {
        cell += '"'
        at++
      } else quoted = false
    } else if (sign === '"' && cell === "") quoted = true
    else if (sign === separator) {
      row.push(cell)
      cell = ""
    } else if (sign === "\n") {
      endRow()
      if (rows.length > most) return { rows: rows.slice(0, most), cut: true }
    } else if (sign !== "\r") cell += sign
  }
  if (cell !== "" || row.length > 0) endRow()
  return { rows: rows.slice(0, most), cut: rows.length > most }
}
