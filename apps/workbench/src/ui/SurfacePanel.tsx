import type { Control, Mark, Reason, View } from "@factum/agent-ui"
import type { ReactNode } from "react"
import type { en } from "../i18n/team.ts"
import { useWords } from "../i18n/words.ts"
import { Controls } from "./Controls.tsx"
import { Fallback, Notice } from "./Fallback.tsx"
import { Panel } from "./Panel.tsx"
import { StaleContext } from "./Stale.tsx"
import { State } from "./State.tsx"

/** A surface as a panel: its facts, or one line that stands in for them, and what can be done there. */
export function SurfacePanel({
  view,
  has,
  marks = [],
  count,
  actions,
  onControl,
  top,
  children,
  className,
}: {
  view: View & { surface: keyof typeof en.hints | (string & {}) }
  has: boolean
  /** How the items stand: what one of them says is not said above it again. */
  marks?: readonly Mark[]
  count?: number
  actions?: ReactNode
  /** For what can be done even where there are no facts yet. */
  onControl?: (control: Control) => void
  /** A form that a control opened. */
  top?: ReactNode
  children: ReactNode
  className?: string
}) {
  const words = useWords()
  const { catalog, team } = words
  const { state } = view
  const said = marks.some(
    (mark) => mark.state === state && mark.reason === view.reason && mark.said === view.said,
  )
  const hints: Readonly<Record<string, string>> = team.hints
  return (
    <Panel
      title={catalog.surface[view.surface]}
      surface={view.surface}
      state={state}
      actions={
        has || onControl === undefined ? (
          actions
        ) : (
          <Controls
            quiet
            offered={view.controls}
            about={catalog.surface[view.surface]}
            onControl={onControl}
          />
        )
      }
      {...(count !== undefined && { count })}
      {...(className !== undefined && { className })}
    >
      {top}
      {!has && state !== "ready" && (
        <Fallback
          state={state}
          title={state === "empty" ? catalog.empty[view.surface] : catalog.state[state]}
          reason={state === "empty" ? hints[view.surface] : <Because {...view} />}
        />
      )}
      {has && state !== "ready" && state !== "empty" && state !== "loading" && !said && (
        <Notice state={state}>
          <Because {...view} />
        </Notice>
      )}
      {has && <StaleContext value={state === "stale"}>{children}</StaleContext>}
    </Panel>
  )
}

/** Why something stands as it does: the page's word for it, and the owner's own where it gave any. */
export function Because({ reason, said }: { reason?: Reason; said?: string }) {
  const { catalog, team } = useWords()
  if (reason === undefined) return null
  if (said === undefined) return catalog.reason[reason]
  return reason === "owner_says" ? said : team.because(catalog.reason[reason], said)
}

/** How one item stands, when it is not simply known. */
export function MarkLine({ mark }: { mark: Mark }) {
  if (mark.state === "ready") return null
  return (
    <p className="meta flex items-start gap-1.5" data-mark={mark.state}>
      <State state={mark.state} />
      <span className="min-w-0 break-words">
        <Because {...mark} />
      </span>
    </p>
  )
}
