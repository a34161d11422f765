import type { ArtifactWorkspaceView } from "@factum/agent-ui"
import { useState } from "react"
import { useWords } from "../../i18n/words.ts"
import { DiffText } from "./DiffText.tsx"

const page = 30

/** The files that calls changed; what changed in them is read when one is opened. */
export function Files({ files }: { files: ArtifactWorkspaceView["files"] }) {
  const { space } = useWords()
  const [open, setOpen] = useState<string>()
  const [shown, setShown] = useState(page)
  return (
    <section
      aria-label={space.files}
      className="border-line thin-scroll max-h-[40%] shrink-0 overflow-auto border-t"
      data-files
    >
      <h3 className="meta px-3 pt-2 pb-1 font-medium">{space.filesCount(files.length)}</h3>
      <ul>
        {files.slice(0, shown).map(({ path, change, added, removed, diffRef, toolCallId }) => {
          const key = `${toolCallId} ${path}`
          return (
            <li key={key}>
              <button
                type="button"
                disabled={diffRef === undefined}
                aria-expanded={diffRef === undefined ? undefined : open === key}
                onClick={() => setOpen(open === key ? undefined : key)}
                className="enabled:hover:bg-hover flex w-full min-w-0 items-baseline gap-2 px-3 py-0.5 text-left"
              >
                <span className="min-w-0 flex-1 truncate font-mono text-[13px]">{path}</span>
                {change !== undefined && <span className="meta">{change}</span>}
                <span className="meta">
                  {added !== undefined && `+${added}`} {removed !== undefined && `−${removed}`}
                </span>
              </button>
              {open === key && diffRef !== undefined && <DiffText reference={diffRef} />}
            </li>
          )
        })}
      </ul>
      {files.length > shown && (
        <button type="button" className="text-accent meta px-3 py-1" onClick={() => setShown(shown + page)}>
          {space.more(Math.min(page, files.length - shown))}
        </button>
      )}
    </section>
  )
}
