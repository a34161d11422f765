/** A line of a file of JSON lines; empty ones and those after `//` are none. `value` is missing where it is no JSON. */
export type JsonLine = { line: number; value?: unknown }

export const notJson = "This line is not JSON."

export function jsonLines(text: string): JsonLine[] {
  return text.split("\n").flatMap((raw, index): JsonLine[] => {
    const content = raw.trim()
    if (content === "" || content.startsWith("//")) return []
    try {
      return [{ line: index + 1, value: JSON.parse(content) }]
    } catch {
      return [{ line: index + 1 }]
    }
  })
}
