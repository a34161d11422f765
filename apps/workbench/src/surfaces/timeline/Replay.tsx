import { momentsOf, type Span } from "@factum/agent-ui"
import { useId, useMemo } from "react"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"

/** Goes back to any moment at which something began or ended, and shows how it stood then. */
export function Replay({
  spans,
  moment,
  onMoment,
}: {
  spans: readonly Span[]
  moment: string | undefined
  onMoment: (moment: string | undefined) => void
}) {
  const { space } = useWords()
  const id = useId()
  const moments = useMemo(() => momentsOf(spans), [spans])
  const last = moments.length - 1
  if (last < 1) return null
  const at =
    moment === undefined
      ? last
      : Math.max(
          0,
          moments.findLastIndex((one) => one <= moment),
        )
  const said = moment === undefined ? space.now : space.asOf(clockOf(moments[at] ?? ""))
  return (
    <div className="border-line flex shrink-0 items-center gap-2 border-b px-3 py-1" data-replay>
      <label htmlFor={id} className="meta">
        {space.replay}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={at}
        aria-valuetext={said}
        className="accent-accent min-w-0 flex-1"
        onChange={({ target }) => {
          const chosen = Number(target.value)
          onMoment(chosen === last ? undefined : moments[chosen])
        }}
      />
      <output htmlFor={id} className="meta w-28 shrink-0 text-right">
        {said}
      </output>
      <Button look="bare" disabled={moment === undefined} onClick={() => onMoment(undefined)}>
        {space.toNow}
      </Button>
    </div>
  )
}

/** To the thousandth of a second: that is how close facts lie. */
function clockOf(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return ""
  const whole = date.toLocaleTimeString(undefined, { hour12: false })
  return `${whole}.${String(date.getMilliseconds()).padStart(3, "0")}`
}
