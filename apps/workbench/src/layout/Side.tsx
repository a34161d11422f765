import { useMemo } from "react"
import { useShell, useSurface } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { NeedsYou } from "../surfaces/NeedsYou.tsx"
import { waitingElsewhere } from "../surfaces/SessionTabs.tsx"
import { Guard } from "../ui/Guard.tsx"
import { CapsulesPlace, TeamPlace } from "./TeamSide.tsx"

/** What needs a person, before all else; the team, and the tasks under way. */
export function Side({ onChoose }: { onChoose: (actionId: string) => void }) {
  const { surface } = useWords().catalog
  return (
    <div className="thin-scroll flex h-full min-h-0 flex-col gap-3 overflow-y-auto py-2 *:shrink-0">
      <Guard name={surface.hitl}>
        <NeedsPlace onChoose={onChoose} />
      </Guard>
      <Guard name={surface.team_roster}>
        <TeamPlace />
      </Guard>
      <Guard name={surface.task_capsule}>
        <CapsulesPlace />
      </Guard>
    </div>
  )
}

function NeedsPlace({ onChoose }: { onChoose: (actionId: string) => void }) {
  const view = useSurface("hitl")
  const { tabs } = useSurface("session_tabs", {})
  const { session } = useShell().place
  const others = useMemo(() => waitingElsewhere(tabs, session), [tabs, session])
  return <NeedsYou view={view} others={others} onChoose={onChoose} />
}
