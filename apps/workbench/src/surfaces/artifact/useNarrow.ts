import { type RefObject, useEffect, useRef, useState } from "react"

/** Whether an element has less room than it needs, followed as panes are moved. */
export function useNarrow(least: number): [RefObject<HTMLDivElement | null>, boolean] {
  const place = useRef<HTMLDivElement>(null)
  const [narrow, setNarrow] = useState(false)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const watch = new ResizeObserver(([entry]) => setNarrow((entry?.contentRect.width ?? least) < least))
    watch.observe(element)
    return () => watch.disconnect()
  }, [least])
  return [place, narrow]
}
