import type { ButtonHTMLAttributes } from "react"

type Look = "primary" | "plain" | "bare"
const looks: Record<Look, string> = {
  primary: "bg-accent text-accent-ink border-transparent enabled:hover:opacity-90",
  plain: "bg-page text-ink border-edge enabled:hover:bg-raised",
  bare: "bg-transparent text-meta border-transparent enabled:hover:text-ink enabled:hover:bg-raised",
}

export function Button({
  look = "plain",
  ...rest
}: { look?: Look } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      className={`shrink-0 rounded border px-2 py-1 whitespace-nowrap disabled:opacity-50 ${looks[look]} ${rest.className ?? ""}`}
    />
  )
}
