import { useSurface } from "../client/page.ts"
import { NeedsYou } from "../surfaces/NeedsYou.tsx"
import { CapsulesPlace, TeamPlace } from "./TeamSide.tsx"

/** The team, what needs a person, and the tasks under way. */
export function Side({ onChoose }: { onChoose: (actionId: string) => void }) {
  const hitl = useSurface("hitl")
  return (
    <div className="thin-scroll flex h-full min-h-0 flex-col gap-3 overflow-y-auto py-2 *:shrink-0">
      <TeamPlace />
      <NeedsYou view={hitl} onChoose={onChoose} />
      <CapsulesPlace />
    </div>
  )
}
