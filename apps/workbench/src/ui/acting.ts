import type { ControlView } from "@factum/agent-ui"

/** What a person may use again as soon as something is known: it stays where it is, and says what it waits for. */
const passing: readonly unknown[] = ["held_while_stale", "awaiting_confirmation", "owner_says"]

/** What can act now, or is only held. What has no port or nothing to act on is left out; the view keeps its reason. */
export const canAct = ({ enabled, reason }: ControlView): boolean => enabled || passing.includes(reason)
