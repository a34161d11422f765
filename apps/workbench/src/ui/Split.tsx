import { type KeyboardEvent, type PointerEvent, useRef } from "react"

const step = 16

/** The line between two panes: dragged, or moved with the arrow keys. `toward` is the side that grows with the pointer. */
export function Separator({
  label,
  size,
  least,
  most,
  toward,
  onSize,
}: {
  label: string
  size: number
  least: number
  most: number
  toward: "left" | "right"
  onSize: (size: number) => void
}) {
  const from = useRef<{ x: number; size: number } | undefined>(undefined)
  const sign = toward === "right" ? 1 : -1
  const set = (next: number) => onSize(Math.min(most, Math.max(least, Math.round(next))))
  const down = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    from.current = { x: event.clientX, size }
  }
  const move = ({ clientX }: PointerEvent) => {
    if (from.current) set(from.current.size + sign * (clientX - from.current.x))
  }
  const up = () => {
    from.current = undefined
  }
  const key = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? step : event.key === "ArrowLeft" ? -step : 0
    if (by === 0) return
    event.preventDefault()
    set(size + sign * by)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that can be moved has no element of its own
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onKeyDown={key}
      className="bg-line hover:bg-edge focus-visible:bg-accent relative w-px shrink-0 cursor-col-resize touch-none before:absolute before:inset-y-0 before:-left-1 before:w-2.5"
    />
  )
}
