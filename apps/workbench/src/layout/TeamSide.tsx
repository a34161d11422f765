import { usePage, useSurface } from "../client/page.ts"
import { TaskCapsules } from "../surfaces/TaskCapsules.tsx"
import { TeamRoster } from "../surfaces/TeamRoster.tsx"

/** Who works on the session. */
export function TeamPlace() {
  const { intent } = usePage()
  return <TeamRoster view={useSurface("team_roster")} onIntent={intent} />
}

/** The tasks under way. */
export function CapsulesPlace() {
  const { intent } = usePage()
  return <TaskCapsules view={useSurface("task_capsule")} onIntent={intent} />
}
