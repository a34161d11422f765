const [width, height] = [96, 20]

/** A row of values as a line, from its least to its greatest. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const least = Math.min(...values)
  const range = Math.max(...values) - least || 1
  const step = width / Math.max(1, values.length - 1)
  const points = values.map(
    (value, at) => `${at * step},${height - 2 - ((value - least) / range) * (height - 4)}`,
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      className="text-accent h-5 w-24 shrink-0"
    >
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  )
}
