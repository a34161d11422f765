import type { PlacedFact } from "@factum/runtime"

/** What subscribers of a route are told of a fact. Feeds are shared by the name, so it must say all that differs. */
export type View = {
  name: string
  /** Whether every fact is told, so that the cursor needs no word of its own. */
  isWhole?: true
  /** The text for a fact, or nothing when these subscribers are not told of it. */
  line(fact: PlacedFact, at: number): string | undefined
  /** Several lines as one write. */
  batch(lines: readonly string[]): string
}

/** JSON text has no line breaks outside its escapes, so one data line holds a fact. */
export const factEvents: View = {
  name: "facts",
  isWhole: true,
  line: ({ text }, at) => `id: ${at}\ndata: ${text}\n\n`,
  batch: (lines) => lines.join(""),
}

/** For channels: one message holds what came together. */
export const factMessages: View = {
  name: "messages",
  line: ({ text }) => text,
  batch: (lines) => `{"type":"facts","facts":[${lines.join(",")}]}`,
}

/** Only facts of these families: `tool` is `tool.started` and all others of tools. */
export function ofFamilies(view: View, families: readonly string[]): View {
  const wanted = new Set(families)
  return {
    name: `${view.name} of ${[...wanted].sort().join(",")}`,
    line: (fact, at) => {
      const type = typeOf(fact)
      return wanted.has(type) || wanted.has(type.split(".", 1)[0] ?? "") ? view.line(fact, at) : undefined
    },
    batch: view.batch,
  }
}

/** Only facts of streams that the subscriber may see; `who` names the rule. */
export function ofStreams(view: View, who: string, sees: (stream: string) => boolean): View {
  return {
    name: `${view.name} for ${who}`,
    line: (fact, at) => (sees(fact.stream) ? view.line(fact, at) : undefined),
    batch: view.batch,
  }
}

/** Facts are written with their type first, so that it can be told without reading all of them. */
export function typeOf({ text }: { text: string }): string {
  const quick = /^\{"type":"([\w.-]+)"/.exec(text)?.[1]
  if (quick !== undefined) return quick
  const { type }: { type?: unknown } = JSON.parse(text)
  return typeof type === "string" ? type : ""
}
