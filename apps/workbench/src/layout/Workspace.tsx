import { Suspense, useId } from "react"
import { usePage, useShell } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Fallback } from "../ui/Fallback.tsx"
import { Guard } from "../ui/Guard.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { isPane } from "./address.ts"
import { paneList } from "./panes/index.ts"
import { useContentAtStart } from "./useContent.ts"

/** One of the panes beside the conversation; which one is part of the page's address. */
export function Workspace({ onClose }: { onClose?: () => void }) {
  const words = useWords()
  const { openPane } = usePage()
  const { place } = useShell()
  const id = useId()
  const content = useContentAtStart() ?? "timeline"
  const wanted = place.pane ?? content
  const open = paneList.find((entry) => entry.id === wanted) ?? paneList[0]
  if (open === undefined) return null
  const { Pane } = open
  return (
    <section aria-label={words.workspace} className="flex h-full min-h-0 min-w-0 flex-col" data-workspace>
      <div className="border-line flex shrink-0 items-stretch border-b">
        <div className="min-w-0 flex-1 [&>*]:border-b-0">
          <Tabs
            label={words.workspace}
            tabs={paneList.map((entry) => ({ id: entry.id, label: words.catalog.surface[entry.surface] }))}
            selected={open.id}
            onSelect={(chosen) => isPane(chosen) && openPane(chosen)}
            panel={id}
          />
        </div>
        {onClose !== undefined && (
          <Button look="bare" aria-label={words.hideWorkspace} title={words.hideWorkspace} onClick={onClose}>
            <span aria-hidden="true">×</span>
          </Button>
        )}
      </div>
      <div
        id={id}
        role="tabpanel"
        aria-label={words.catalog.surface[open.surface]}
        className="min-h-0 flex-1"
      >
        <Guard key={`${place.session} ${open.id}`} name={words.catalog.surface[open.surface]}>
          <Suspense fallback={<Fallback state="loading" title={words.states.waiting} />}>
            <Pane />
          </Suspense>
        </Guard>
      </div>
    </section>
  )
}
