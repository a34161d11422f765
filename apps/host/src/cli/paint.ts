import type { WriteStream } from "node:tty"

type Surroundings = Readonly<Record<string, string | undefined>>

/** Colour only where a person looks on: https://no-color.org, and `TERM=dumb`. */
export function hasColour(stream: Pick<WriteStream, "isTTY">, env: Surroundings = process.env): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0"
  return stream.isTTY === true && env.TERM !== "dumb"
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Ink = keyof typeof codes
export type Paint = (ink: Ink, text: string) => string

export const painter =
  (colour: boolean): Paint =>
  (ink, text) =>
    colour && text !== "" ? `\u001b[${codes[ink]}m${text}\u001b[0m` : text

const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu

/** What an agent or a tool wrote must not move the cursor, nor hide what a person is asked to allow. */
export const harmless = (text: string): string => text.replaceAll("\r\n", "\n").replace(control, "\u00b7")

/** One line of at most so many characters. */
export function oneLine(text: string, most = 100): string {
  const line = harmless(text).replaceAll(/\s+/g, " ").trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** Columns, each as wide as its widest cell. */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(harmless))
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}
