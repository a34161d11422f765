/** How much of a limit is used. Only what its owner calls low may raise its voice. */
export function Meter({
  label,
  used,
  limit,
  text,
  low = false,
}: {
  label: string
  used: number
  limit: number
  text: string
  low?: boolean
}) {
  const part = limit > 0 ? Math.min(1, Math.max(0, used / limit)) : 0
  return (
    <span className="meta inline-flex items-center gap-1.5" data-low={low || undefined} title={label}>
      <meter className="sr-only" aria-label={label} min={0} max={limit} value={used}>
        {text}
      </meter>
      <span aria-hidden="true" className="bg-hover inline-block h-1.5 w-14 overflow-hidden rounded-full">
        <span
          className={`block h-full rounded-full ${low ? "bg-accent" : "bg-edge"}`}
          style={{ width: `${part * 100}%` }}
        />
      </span>
      <span aria-hidden="true">{text}</span>
    </span>
  )
}

/** How far something is; without a total, only that it goes on. */
export function Progress({ label, done, total }: { label: string; done?: number; total?: number }) {
  const part = done !== undefined && total ? Math.min(1, done / total) : undefined
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={part === undefined ? undefined : Math.round(part * 100)}
      className="bg-hover inline-block h-1 w-20 overflow-hidden rounded-full align-middle"
    >
      <span
        className={`bg-accent block h-full rounded-full ${part === undefined ? "w-1/3 motion-safe:animate-pulse" : ""}`}
        style={part === undefined ? undefined : { width: `${part * 100}%` }}
      />
    </span>
  )
}
