import { appendFile, readFile } from "node:fs/promises"
import { createRedactor } from "@factum/runtime"
import { cassetteModel, parseCassette, recordingModel, type Take } from "@factum/runtime/cassette"
import { isSame, type Offer } from "@factum/runtime/routing"

/** What is put in the place of the models that a project names, or around them. */
export type Through = (offers: readonly Offer[], secrets: Readonly<Record<string, string>>) => Offer[]

/** Every answer of every model is also written down, for the one who wrote it to read. */
export function recordedIn(path: string): Through {
  // One answer after the other, so that the lines of two that end together do not mix.
  let last: Promise<unknown> = Promise.resolve()
  const write = (text: string): Promise<void> => {
    const written = last.then(() => appendFile(path, text, { mode: 0o600 }))
    last = written.catch(() => undefined)
    return written
  }
  return (offers, secrets) => {
    const redactor = createRedactor(secrets)
    return offers.map((offer) =>
      offer.via === undefined ? offer : { ...offer, via: recordingModel(offer.via, { redactor, write }) },
    )
  }
}

/** Every model answers from the cassette, also those without a key; no network is used. */
export async function playedFrom(path: string): Promise<Through | { problem: string }> {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    return {
      problem: `The cassette ${path} cannot be read: ${error instanceof Error ? error.message : error}.`,
    }
  }
  const parsed = parseCassette(text)
  if (!parsed.ok)
    return { problem: `The cassette ${path} is wrong in line ${parsed.line}: ${parsed.message}` }
  const { takes } = parsed
  if (takes.length === 0)
    return { problem: `The cassette ${path} holds no answer: record one with --record.` }
  return (offers, secrets) => {
    const redactor = createRedactor(secrets)
    const more = modelsOn(takes).filter((one) => !offers.some((offer) => isSame(offer, one)))
    return [...offers, ...more].map((offer) => {
      const { provider, model } = offer
      const own = takes.filter((take) => isSame(take, offer))
      const { unavailable: _, ...known } = offer
      return { ...known, via: cassetteModel(own, { redactor, provider, name: model }) }
    })
  }
}

/** Of a project that names none, or others: those that were recorded, in the order in which they first spoke. */
function modelsOn(takes: readonly Take[]) {
  const first = takes.filter((take, index) => takes.findIndex((one) => isSame(one, take)) === index)
  return first.map(({ provider, model }) => ({
    provider,
    model,
    context_window: "unknown" as const,
    capabilities: "unknown" as const,
    unavailable: "",
  }))
}
