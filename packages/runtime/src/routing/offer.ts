import type { Model, Reasoning } from "../ports/model.ts"
import type { Candidate } from "./route.ts"
import type { Limit } from "./standing.ts"

/** A model that may answer, with what is known of it; one that cannot be asked says why. */
export type Offer = Candidate & {
  /** Only for agents that are pinned to it: it takes nobody else's place. */
  reserved?: true
  /** Plays a part where no model is configured: it takes no session that a real one was meant for. */
  stands_in?: boolean
  /** What one answer may have at most; the provider's own default when not said. */
  output_tokens?: number
  /** How much it thinks where the agent does not say; `false` for one that cannot, whatever the agent says. */
  reasoning?: Reasoning | false
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

/** What the offer and the agent settle for its requests. */
export function settingsOf(offer: Offer, wanted: Reasoning | undefined) {
  const reasoning = offer.reasoning === false ? undefined : (wanted ?? offer.reasoning)
  return {
    ...(offer.output_tokens === undefined ? {} : { max_output_tokens: offer.output_tokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

/** Counted anew in every turn, or over the whole session. */
export type ScopedLimit = Limit & { per: "turn" | "session" }
