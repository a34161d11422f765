import type { ComponentType } from "react"
import { usePage, useShell, useSurface } from "../../client/page.ts"
import { fetched } from "../../ui/fetched.tsx"
import type { Pane } from "../address.ts"
import { type PaneEntry, pane } from "./connect.tsx"
import { TimelinePane } from "./timeline.tsx"

const Artifacts = fetched(async () => ({
  default: (await import("../../surfaces/ArtifactWorkspace.tsx")).ArtifactWorkspace,
}))

/** The artifact that the address names is the one that is shown. */
const ArtifactPane: ComponentType = () => {
  const { intent } = usePage()
  const { item } = useShell().place
  const view = useSurface("artifact_workspace", item === undefined ? {} : { artifactId: item })
  return <Artifacts view={view} onIntent={intent} />
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
