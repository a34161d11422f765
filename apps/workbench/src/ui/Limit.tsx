import type { Meter as MeterView } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { Meter } from "./Meter.tsx"
import { count } from "./measures.ts"

/** How much of a limit is used, in its own unit; without a limit, only how much. */
export function Limit({ label, meter }: { label: string; meter: MeterView }) {
  const { space } = useWords()
  const { used, limit, unit, low } = meter
  if (typeof used !== "number")
    return (
      <span className="meta" data-known="unknown">
        {label}: {space.notReported}
      </span>
    )
  const amount = amountIn(used, unit)
  const text = typeof limit === "number" ? space.usedOf(amount, amountIn(limit, unit)) : amount
  return (
    <span className="inline-flex flex-wrap items-center gap-2" data-limit>
      <span className="meta">{label}</span>
      {typeof limit === "number" ? (
        <Meter label={label} used={used} limit={limit} text={text} low={low} />
      ) : (
        <span className="meta text-ink">{text}</span>
      )}
    </span>
  )
}

const money = /^[A-Z]{3}$/
export function amountIn(value: number, unit: string | undefined): string {
  if (unit !== undefined && money.test(unit))
    return new Intl.NumberFormat(undefined, {
      style: "currency",
      currency: unit,
      maximumFractionDigits: 4,
    }).format(value)
  return unit === undefined ? count(value) : `${count(value)} ${unit}`
}
