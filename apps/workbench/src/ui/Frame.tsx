import type { Control, ControlView, Mark, View } from "@factum/agent-ui"
import type { ReactNode } from "react"
import { useWords } from "../i18n/words.ts"
import { canAct } from "./acting.ts"
import { Button } from "./Button.tsx"
import { Fallback, Notice } from "./Fallback.tsx"
import { Because } from "./SurfacePanel.tsx"

/** A pane of the workspace: its facts with what is wrong with them, or what stands in for them. */
export function Frame({
  view,
  has,
  hint,
  marks = [],
  bar,
  children,
}: {
  view: View
  has: boolean
  /** What will be here, for a pane that is empty. */
  hint: string
  /** How its items stand: what one of them says is not said above it again. */
  marks?: readonly Mark[]
  /** What is done here; it stands in every state. */
  bar?: ReactNode
  children: ReactNode
}) {
  const { catalog } = useWords()
  const { surface, state } = view
  const said = marks.some((mark) => mark.state === state && mark.reason === view.reason)
  return (
    <section
      aria-label={catalog.surface[surface]}
      data-surface={surface}
      data-state={state}
      className="@container flex h-full min-h-0 min-w-0 flex-col"
    >
      <h2 className="sr-only">{catalog.surface[surface]}</h2>
      {bar}
      {has && state !== "ready" && state !== "empty" && state !== "loading" && !said && (
        <Notice state={state}>
          <Because {...view} />
        </Notice>
      )}
      {has
        ? children
        : state !== "ready" && (
            <Fallback
              state={state}
              title={state === "empty" ? catalog.empty[surface] : catalog.state[state]}
              reason={state === "empty" ? hint : <Because {...view} />}
            />
          )}
    </section>
  )
}

/** The controls of a pane or an item that can act, in a row; nothing when none can. */
export function Acts({
  offered,
  about,
  onAct,
  className = "",
}: {
  offered: readonly ControlView[]
  about: string
  onAct: (control: Control) => void
  className?: string
}) {
  const acting = offered.filter(canAct)
  if (acting.length === 0) return null
  return (
    <div className={`flex flex-wrap gap-1.5 ${className}`}>
      {acting.map((one) => (
        <Act key={one.control} offered={one} about={about} onAct={() => onAct(one.control)} />
      ))}
    </div>
  )
}

function Act({
  offered,
  about,
  onAct,
}: {
  offered: ControlView
  /** What it acts on, for those who hear the button alone. */
  about: string
  onAct: () => void
}) {
  const { catalog, team } = useWords()
  const { control, enabled, reason } = offered
  return (
    <Button
      data-control={control}
      disabled={!enabled}
      title={reason === undefined ? undefined : catalog.reason[reason]}
      aria-label={team.about(catalog.control[control], about)}
      onClick={onAct}
    >
      {catalog.control[control]}
    </Button>
  )
}
