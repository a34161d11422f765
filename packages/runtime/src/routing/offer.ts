import type { Model } from "../ports/model.ts"
import type { Candidate } from "./route.ts"
import type { Limit } from "./standing.ts"

/** A model that may answer, with what is known of it; one that cannot be asked says why. */
export type Offer = Candidate & {
  /** Only for agents that are pinned to it: it takes nobody else's place. */
  reserved?: true
} & ({ via: Model } | { via?: undefined; unavailable: string })

/** A model of which nothing is known but how to ask it. */
export function offerOf(via: Model): Offer {
  return {
    provider: via.provider,
    model: via.name,
    context_window: "unknown",
    capabilities: "unknown",
    via,
  }
}

/** Counted anew in every turn, or over the whole session. */
export type ScopedLimit = Limit & { per: "turn" | "session" }
