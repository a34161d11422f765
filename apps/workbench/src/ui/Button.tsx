import type { ButtonHTMLAttributes } from "react"

type Look = "primary" | "plain" | "bare"
const looks: Record<Look, string> = {
  primary: "bg-accent text-accent-ink border-transparent font-medium enabled:hover:opacity-90",
  plain: "bg-page text-ink border-edge enabled:hover:bg-raised",
  bare: "bg-transparent text-meta border-transparent enabled:hover:text-ink enabled:hover:bg-hover",
}

export function Button({
  look = "plain",
  ...rest
}: { look?: Look } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      className={`shrink-0 rounded-md border px-2.5 py-1 text-[13px] leading-5 whitespace-nowrap disabled:opacity-45 pointer-coarse:py-1.5 ${looks[look]} ${rest.className ?? ""}`}
    />
  )
}
