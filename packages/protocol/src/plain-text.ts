import { cut } from "./escape.ts"

/** Text for a person: JSON, whole or in a code block, is replaced by the names of its fields. */
export function plainText(text: string): string {
  const whole = described(text)
  if (whole !== undefined) return whole
  const told: string[] = []
  let open: { fence: string; from: number } | undefined
  for (const line of text.split("\n")) {
    told.push(line)
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === undefined) open = { fence, from: told.length }
    else if (fence.startsWith(open.fence) && line.trim() === fence) {
      const replaced = described(told.slice(open.from, -1).join("\n"))
      if (replaced !== undefined) told.splice(open.from - 1, told.length, replaced)
      open = undefined
    }
  }
  return told.join("\n")
}

function described(text: string): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) return undefined
  const value = parsed(trimmed)
  if (value === undefined) return undefined
  if (Array.isArray(value)) return `A list of ${value.length}.`
  const names = Object.keys(value)
  return names.length === 0 ? "An empty result." : `A result with ${cut(names.join(", "), 300)}.`
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
