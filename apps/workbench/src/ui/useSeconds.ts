import { useEffect, useState } from "react"

/** Seconds since a moment, counted on while the component stands. */
export function useSeconds(since: string | number | undefined): number | undefined {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (since === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [since])
  if (since === undefined) return undefined
  return Math.max(0, Math.floor((now - new Date(since).getTime()) / 1000))
}
