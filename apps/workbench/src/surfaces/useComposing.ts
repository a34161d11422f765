import type { ComposerView, Control, InputPartView, Intent } from "@factum/agent-ui"
import { newId } from "@factum/client"
import { useRef, useState } from "react"
import { joined, keepDraft, storedDraft } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import { type Upload, useAttachments } from "./attachments.tsx"

export type Sending = "send" | "queue" | "steer"
type Given = {
  view: ComposerView
  sessionId: string | undefined
  /** The first message is on its way: there is no session yet that a second one could go to. */
  isCreating: boolean
  upload: Upload
  onIntent: (intent: Intent) => void
}

/** What is being written: its text, files and mode, whether it may leave, and why not. */
export function useComposing({ view, sessionId, isCreating, upload, onIntent }: Given) {
  const words = useWords()
  const place = sessionId ?? ""
  const [draft, setDraft] = useState(() => storedDraft(place) || (view.draft ?? ""))
  // Several may come back before the page is drawn again.
  const latest = useRef(draft)
  const [mode, setMode] = useState<string>()
  const attachments = useAttachments(upload)
  const isRunning = view.activeRunId !== undefined
  const usual: Sending = isRunning ? "queue" : "send"
  const isEmpty = draft.trim() === "" && attachments.parts.length === 0
  const isBusy = isCreating || attachments.isUploading || attachments.hasFailed
  const offered = (control: Control) => view.controls.find((one) => one.control === control)
  /** Messages wait for the connection by themselves; steering means now or never. */
  const isHeld = (control: Sending) => control !== "steer" && offered(control)?.reason === "held_while_stale"
  const isOpen = (control: Sending) => offered(control)?.enabled === true || isHeld(control)
  const may = (control: Sending) => !isEmpty && !isBusy && isOpen(control)

  const write = (text: string) => {
    latest.current = text
    setDraft(text)
    keepDraft(place, text)
  }
  const send = (control: Sending) => {
    if (!may(control)) return
    const text: InputPartView[] = draft.trim() === "" ? [] : [{ kind: "text", text: draft }]
    const intent = intentOf(control, [...text, ...attachments.parts])
    write("")
    attachments.clear()
    // A steer goes into a run that has its mode; what was chosen is for the next message.
    if (control !== "steer") setMode(undefined)
    onIntent(intent)
  }
  function intentOf(control: Sending, inputs: InputPartView[]): Intent {
    const clientId = newId(control === "steer" ? "str" : "trn")
    const at = view.threadId === undefined ? {} : { threadId: view.threadId }
    const chosen = mode === undefined ? {} : { mode }
    if (sessionId === undefined) return { control: "send", inputs, clientId, ...chosen }
    if (control === "steer")
      return { control, sessionId, ...at, runId: view.activeRunId ?? "", inputs, clientId }
    return { control, sessionId, ...at, ...chosen, inputs, clientId }
  }
  const giveBack = (inputs: readonly InputPartView[], wanted?: string) => {
    write(joined(inputs, latest.current))
    attachments.restore(inputs.filter((part) => part.kind !== "text"))
    if (wanted !== undefined) setMode(wanted)
  }

  const { reason } = offered(usual) ?? {}
  const closed = () =>
    reason === undefined || reason === "no_target" ? words.talk.takesNone : words.catalog.reason[reason]
  const because = view.said ?? (view.reason && words.catalog.reason[view.reason])
  const whyNot = attachments.hasFailed
    ? words.talk.removeFailed
    : attachments.isUploading
      ? words.talk.uploading
      : isHeld(usual)
        ? words.talk.held
        : isOpen(usual) || view.state === "blocked"
          ? undefined
          : closed()
  return {
    draft,
    write,
    giveBack,
    mode,
    setMode,
    attachments,
    isRunning,
    usual,
    may,
    send,
    whyNot,
    isHeld: isHeld(usual),
    /** In its owner's words, what keeps this session from taking messages. */
    blocked: view.state === "blocked" ? (because ?? words.catalog.reason.unknown) : undefined,
  }
}
