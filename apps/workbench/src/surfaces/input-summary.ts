const longest = 240

/** The input in one line: the only text by itself, otherwise names and values; what is no object as it is. */
export function inputSummary(text: string): string {
  const entries = Object.entries(objectIn(text) ?? {})
  const [only] = entries
  const line =
    only === undefined
      ? text.trim() === "{}"
        ? ""
        : text
      : entries.length === 1 && typeof only[1] === "string"
        ? only[1]
        : entries.map(([name, value]) => `${name}: ${shown(value)}`).join(", ")
  const flat = line.replaceAll(/\s+/g, " ").trim()
  return flat.length > longest ? `${flat.slice(0, longest)}…` : flat
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
