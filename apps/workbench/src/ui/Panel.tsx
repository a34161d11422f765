import { type ReactNode, useId } from "react"

/** A titled region: a line, a heading, and what is done there at its right. */
export function Panel({
  title,
  count,
  actions,
  children,
  className = "",
  surface,
  state,
}: {
  title: ReactNode
  count?: number
  actions?: ReactNode
  children: ReactNode
  className?: string
  surface?: string
  state?: string
}) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      data-surface={surface}
      data-state={state}
      className={`@container flex min-h-0 flex-col ${className}`}
    >
      <header className="flex h-8 shrink-0 items-center gap-2 px-3">
        <h2 id={id} className="meta font-medium tracking-wide uppercase">
          {title}
        </h2>
        {count !== undefined && count > 0 && <span className="meta">{count}</span>}
        <div className="ml-auto flex items-center gap-1">{actions}</div>
      </header>
      {children}
    </section>
  )
}
