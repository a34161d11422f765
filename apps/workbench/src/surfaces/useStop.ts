import type { ComposerView, Intent } from "@factum/agent-ui"
import { useEffect, useRef, useState } from "react"

const patienceMs = 3000
/** Kept in the log, so in the log's own language. */
const stopped = "Stopped by the user."

/** Stops the run that is shown and no other: at once by its button, by Escape only after a second press. */
export function useStop(
  view: ComposerView,
  sessionId: string | undefined,
  onIntent: (intent: Intent) => void,
): { isAsking: boolean; press: (after?: () => void) => void } | undefined {
  const [isAsking, setAsking] = useState(false)
  const { activeRunId, threadId } = view
  const canStop = view.controls.some(({ control, enabled }) => control === "interrupt" && enabled)
  const stop = () => {
    if (sessionId === undefined || activeRunId === undefined) return
    const at = threadId === undefined ? {} : { threadId }
    onIntent({ control: "interrupt", sessionId, ...at, runId: activeRunId, reason: stopped })
  }
  const latest = useRef({ stop, isAsking })
  latest.current = { stop, isAsking }
  const isOn = canStop && sessionId !== undefined
  useEffect(() => {
    if (!isOn) return setAsking(false)
    const onEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.repeat || event.isComposing || event.defaultPrevented) return
      // In an open dialog the key closes the dialog.
      if (document.querySelector("dialog[open], [role=menu]") !== null) return
      if (latest.current.isAsking) latest.current.stop()
      setAsking(!latest.current.isAsking)
    }
    addEventListener("keydown", onEscape)
    return () => removeEventListener("keydown", onEscape)
  }, [isOn])
  useEffect(() => {
    if (!isAsking) return
    const timer = setTimeout(() => setAsking(false), patienceMs)
    return () => clearTimeout(timer)
  }, [isAsking])
  if (!isOn) return undefined
  return {
    isAsking,
    press: (after) => {
      stop()
      after?.()
    },
  }
}
