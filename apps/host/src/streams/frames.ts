import type { UiFrame } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import type { PlacedFact } from "@factum/runtime"
import type { View } from "./view.ts"

/** What a person should see of each fact: the frame that a client would make of it. */
export const frameEvents: View = {
  name: "frames",
  isWhole: true,
  line: (fact, at) => lineOf(frameOf(fact), at),
  batch: (lines) => lines.join(""),
}

export type Wanted = {
  /** Families or types of events. */
  types?: readonly string[]
  surfaces?: readonly string[]
}

/** Only events of these kinds; a frame of which none is left is not sent, so that its sequences have holes. */
export function framesOf({ types, surfaces }: Wanted): View {
  if (types === undefined && surfaces === undefined) return frameEvents
  const [kinds, places] = [types && new Set(types), surfaces && new Set<string | undefined>(surfaces)]
  const isWanted = ({ type, surface }: UiFrame["events"][number]): boolean => {
    const isKind = kinds === undefined || kinds.has(type) || kinds.has(type.split(".", 1)[0] ?? "")
    return isKind && (places === undefined || places.has(surface))
  }
  return {
    name: `frames of ${sorted(types)} on ${sorted(surfaces)}`,
    line(fact, at) {
      const frame = frameOf(fact)
      const events = frame.events.filter(isWanted)
      return events.length === 0 ? undefined : lineOf({ ...frame, events }, at)
    },
    batch: frameEvents.batch,
  }
}

const frameOf = ({ text }: PlacedFact): UiFrame => fromRuntime(JSON.parse(text))
const lineOf = (frame: UiFrame, at: number): string => `id: ${at}\ndata: ${JSON.stringify(frame)}\n\n`
const sorted = (names: readonly string[] | undefined): string =>
  names === undefined ? "all" : [...new Set(names)].sort().join(",")
