import { useShell, useSurface } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Meter } from "../ui/Meter.tsx"
import { count, money } from "../ui/measures.ts"

/** What the session cost, and how full the model's context is; only what is reported. */
export function Meters() {
  const { session } = useShell().place
  return session === undefined ? null : <SessionMeters />
}

function SessionMeters() {
  const words = useWords()
  const { cost, context } = useSurface("runtime_status")
  const known = typeof context?.used === "number" && typeof context.limit === "number"
  if (cost === undefined && !known) return null
  return (
    <div
      className="border-line meta flex shrink-0 items-center gap-3 border-l px-3 max-lg:hidden"
      data-role="meters"
    >
      {cost !== undefined && typeof cost.used === "number" && (
        <span title={words.cost}>
          {money(cost.used, cost.unit)}
          {typeof cost.limit === "number" && ` / ${money(cost.limit, cost.unit)}`}
        </span>
      )}
      {context !== undefined && typeof context.used === "number" && typeof context.limit === "number" && (
        <Meter
          label={words.context(count(context.used), count(context.limit))}
          used={context.used}
          limit={context.limit}
          low={context.low}
          text={words.contextShort(Math.round((context.used / Math.max(1, context.limit)) * 100))}
        />
      )}
    </div>
  )
}
