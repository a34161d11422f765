import type { Control, ControlView } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { canAct } from "./acting.ts"
import { Button } from "./Button.tsx"

/** The controls of a thing that can act, in their order; one that is held says why. */
export function Controls({
  offered,
  about,
  onControl,
  pressed,
  quiet = false,
}: {
  offered: readonly ControlView[]
  /** What they act on, for those who hear a button alone. */
  about: string
  onControl?: (control: Control) => void
  /** The control whose form stands open. */
  pressed?: Control | undefined
  /** In a heading, where it must not be louder than what is told. */
  quiet?: boolean
}) {
  const { catalog, team } = useWords()
  const acting = offered.filter(canAct)
  if (acting.length === 0) return null
  return (
    <div className={`flex flex-wrap gap-1.5 ${quiet ? "" : "pt-1"}`}>
      {acting.map(({ control, enabled, reason }) => (
        <Button
          key={control}
          look={quiet ? "bare" : "plain"}
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
