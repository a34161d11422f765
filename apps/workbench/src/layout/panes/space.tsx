import { type ComponentType, useCallback } from "react"
import { usePage, useShell, useSurface } from "../../client/page.ts"
import { fetched } from "../../ui/fetched.tsx"
import { addressOf, type Pane } from "../address.ts"
import { type PaneEntry, pane } from "./connect.tsx"

const Artifacts = fetched(async () => ({
  default: (await import("../../surfaces/ArtifactWorkspace.tsx")).ArtifactWorkspace,
}))
const Timeline = fetched(async () => ({
  default: (await import("../../surfaces/TimelineEvidence.tsx")).TimelineEvidence,
}))

/** The artifact that the address names is the one that is shown. */
const ArtifactPane: ComponentType = () => {
  const { intent } = usePage()
  const { item } = useShell().place
  const view = useSurface("artifact_workspace", item === undefined ? {} : { artifactId: item })
  return <Artifacts view={view} onIntent={intent} />
}

const TimelinePane: ComponentType = () => {
  const page = usePage()
  const { item, session } = useShell().place
  const view = useSurface("timeline_evidence")
  const onItem = useCallback(
    (named: string | undefined) => {
      if (session === undefined) return
      page.go({ session, pane: "timeline", ...(named !== undefined && { item: named }) }, true)
    },
    [page, session],
  )
  const link = (named: string) =>
    addressOf({ ...(session !== undefined && { session }), pane: "timeline", item: named })
  return (
    <Timeline
      view={view}
      onIntent={page.intent}
      item={item}
      link={link}
      sessionId={session}
      onItem={onItem}
    />
  )
}

/** The panes about what was made, what happened, and what is allowed. */
export const spacePanes: Partial<Record<Pane, PaneEntry>> = {
  artifact: { surface: "artifact_workspace", Pane: ArtifactPane },
  timeline: { surface: "timeline_evidence", Pane: TimelinePane },
  policy: pane("team_policy", async () => ({
    default: (await import("../../surfaces/TeamPolicy.tsx")).TeamPolicy,
  })),
  diagnostics: pane("diagnostics", async () => ({
    default: (await import("../../surfaces/Diagnostics.tsx")).Diagnostics,
  })),
}
