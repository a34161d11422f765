import type { SurfaceName, ViewOf } from "@factum/agent-ui"
import type { ComponentType } from "react"
import { usePage, useShell, useSurface } from "../../client/page.ts"
import type { SurfaceProps } from "../../surfaces/props.ts"
import { fetched } from "../../ui/fetched.tsx"

/** A pane of the workspace: the surface that it draws, and the component, which is fetched when it is first opened. */
export type PaneEntry = { surface: SurfaceName; Pane: ComponentType }

/** `load` gives a module whose default export is the component of the surface. */
export function pane<S extends SurfaceName>(
  surface: S,
  load: () => Promise<{ default: ComponentType<SurfaceProps<ViewOf<S>>> }>,
): PaneEntry {
  const Surface = fetched(load)
  function Pane() {
    const { intent } = usePage()
    const { item } = useShell().place
    // A transcript is of the one teammate that the address names.
    const ofOne = surface === "teammate_transcript" && item !== undefined
    const view = useSurface(surface, ofOne ? { agentId: item } : {})
    const props: SurfaceProps<ViewOf<S>> = { view, onIntent: intent }
    return <Surface {...props} />
  }
  return { surface, Pane }
}
