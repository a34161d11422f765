import type { Control, ControlView, Intent } from "@factum/agent-ui"
import { type ReactNode, useState } from "react"
import { Controls } from "./Controls.tsx"

/** The controls of one item: some act at once, some ask for words first, below them. */
export function ActOn({
  offered,
  name,
  onIntent,
  makes = {},
  asks = {},
  opened,
}: {
  offered: readonly ControlView[]
  name: string
  onIntent: (intent: Intent) => void
  makes?: Readonly<Partial<Record<Control, Intent>>>
  asks?: Readonly<Partial<Record<Control, (leave: () => void) => ReactNode>>>
  /** The control whose words are asked for from the start. */
  opened?: Control | undefined
}) {
  const [asking, setAsking] = useState(opened)
  const leave = () => setAsking(undefined)
  const act = (control: Control) => {
    const intent = makes[control]
    if (asks[control]) return setAsking(asking === control ? undefined : control)
    leave()
    if (intent) onIntent(intent)
  }
  const isOpen = offered.some(({ control, enabled }) => control === asking && enabled)
  return (
    <>
      <Controls offered={offered} about={name} onControl={act} pressed={asking} />
      {isOpen && asking && asks[asking]?.(leave)}
    </>
  )
}

/** The words that a person gives a teammate, as its input. */
export const said = (text: string) => [{ kind: "text" as const, text }]
