import { type ReactNode, useEffect, useRef } from "react"

/** A modal layer on the platform's own dialog: focus stays in it, Escape closes it, focus returns. */
export function Sheet({
  open,
  label,
  onClose,
  children,
  side = "center",
}: {
  open: boolean
  label: string
  onClose: () => void
  children: ReactNode
  side?: "center" | "left" | "right" | "bottom"
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null) return
    if (open && !element.open) element.showModal()
    if (!open && element.open) element.close()
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it, and so does Escape
    <dialog
      ref={dialog}
      aria-label={label}
      data-side={side}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="sheet"
    >
      {open && <div className="flex max-h-[inherit] min-h-0 flex-col">{children}</div>}
    </dialog>
  )
}
