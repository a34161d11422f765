import type { Envelope } from "@factum/facts"

type Told = {
  refs?: readonly { uri?: unknown; digest?: unknown }[]
  preview?: { text?: unknown; whole?: unknown }
}

/** The bytes of a trace by ref: those that its facts tell whole. What they only name is not there. */
export function bytesIn(facts: readonly Envelope[]): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const { payload } of facts) {
    const { refs: [ref] = [], preview }: Told = payload
    if (ref === undefined || preview?.whole !== true || typeof preview.text !== "string") continue
    const bytes = new TextEncoder().encode(preview.text)
    for (const name of [ref.uri, ref.digest]) if (typeof name === "string") kept.set(name, bytes)
  }
  return kept
}
