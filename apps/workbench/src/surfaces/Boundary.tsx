import { useWords } from "../i18n/words.ts"

/** Where earlier messages were summed up for the model; what stands above is unchanged. */
export function BoundaryLine({
  id,
  state,
  summary,
}: {
  id: string
  state: string
  summary?: string | undefined
}) {
  const words = useWords()
  const title =
    state === "failed"
      ? words.talk.compactFailed
      : state === "closed"
        ? words.talk.compacted
        : words.talk.compacting
  return (
    <div className="meta my-2 flex items-center gap-3" data-boundary={id} data-status={state}>
      <span aria-hidden="true" className="bg-line h-px flex-1" />
      <span className="max-w-[75%] text-center" title={summary}>
        {title}
      </span>
      <span aria-hidden="true" className="bg-line h-px flex-1" />
    </div>
  )
}
