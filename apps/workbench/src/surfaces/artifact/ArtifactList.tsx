import type { ArtifactRow } from "@factum/agent-ui"
import { useVirtualizer } from "@tanstack/react-virtual"
import { memo, useRef } from "react"
import { useWords } from "../../i18n/words.ts"
import { State } from "../../ui/State.tsx"
import { Ago } from "../../ui/Time.tsx"
import { moveFocus } from "../move-focus.ts"

/** All artifacts, newest first; only what is in sight is drawn. */
export const ArtifactList = memo(function ArtifactList({
  artifacts,
  selected,
  onSelect,
}: {
  artifacts: readonly ArtifactRow[]
  selected: string | undefined
  onSelect: (artifactId: string) => void
}) {
  const { space } = useWords()
  const place = useRef<HTMLDivElement>(null)
  const rows = artifacts.toReversed()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => 30,
    overscan: 6,
    initialRect: { width: 400, height: 180 },
  })
  return (
    <div ref={place} className="border-line thin-scroll max-h-40 shrink-0 overflow-auto border-b">
      <ul
        aria-label={space.artifacts}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={moveFocus}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <li
              key={row.artifactId}
              className="absolute inset-x-0 h-[30px]"
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                data-row
                data-artifact={row.artifactId}
                aria-current={row.artifactId === selected}
                onClick={() => onSelect(row.artifactId)}
                className="hover:bg-hover aria-[current=true]:bg-raised flex h-full w-full min-w-0 items-center gap-2 px-3 text-left"
              >
                <State state={glyphOf(row)} quiet />
                <span className="min-w-0 flex-1 truncate">
                  {row.title === "unknown" || row.title === "unavailable" ? row.artifactId : row.title}
                </span>
                {row.edit !== undefined && <span className="meta">{space.unsavedMark}</span>}
                <span className="meta">{space.version(row.versions.at(-1)?.label ?? "?")}</span>
                {row.at !== undefined && <Ago time={row.at} />}
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
})

const glyphOf = ({ state, failure }: ArtifactRow) =>
  state !== "ready" ? state : failure === undefined ? "done" : "failed"
