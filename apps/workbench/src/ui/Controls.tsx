import type { Control, ControlView } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"

/** The controls that a thing has, in their order; one that cannot be used says why. */
export function Controls({
  offered,
  about,
  onControl,
  pressed,
}: {
  offered: readonly ControlView[]
  /** What they act on, for those who hear a button alone. */
  about: string
  onControl?: (control: Control) => void
  /** The control whose form stands open. */
  pressed?: Control | undefined
}) {
  const { catalog, team } = useWords()
  if (offered.length === 0) return null
  return (
    <div className="flex flex-wrap gap-1.5 pt-1">
      {offered.map(({ control, enabled, reason }) => (
        <Button
          key={control}
          data-control={control}
          disabled={!enabled}
          title={reason === undefined ? undefined : catalog.reason[reason]}
          aria-label={team.about(catalog.control[control], about)}
          aria-expanded={pressed === undefined ? undefined : pressed === control}
          onClick={() => onControl?.(control)}
        >
          {catalog.control[control]}
        </Button>
      ))}
    </div>
  )
}
