import { useSurface } from "../client/page.ts"
import { NeedsYou } from "../surfaces/NeedsYou.tsx"
import { CapsulesPlace, TeamPlace } from "./TeamSide.tsx"

/** What needs a person, before all else; the team, and the tasks under way. */
export function Side({ onChoose }: { onChoose: (actionId: string) => void }) {
  const hitl = useSurface("hitl")
  return (
    <div className="thin-scroll flex h-full min-h-0 flex-col gap-3 overflow-y-auto py-2 *:shrink-0">
      <NeedsYou view={hitl} onChoose={onChoose} />
      <TeamPlace />
      <CapsulesPlace />
    </div>
  )
}
