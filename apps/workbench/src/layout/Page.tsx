import { type ReactNode, useCallback, useRef, useState } from "react"
import { usePage, useShell, useSurface } from "../client/page.ts"
import { keepLayout, type LayoutSizes, storedLayout } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import type { Draft } from "../surfaces/Composer.tsx"
import { focusCard } from "../surfaces/Conversation.tsx"
import { SessionTabs } from "../surfaces/SessionTabs.tsx"
import { Button } from "../ui/Button.tsx"
import { Sheet } from "../ui/Sheet.tsx"
import { Separator } from "../ui/Split.tsx"
import { State } from "../ui/State.tsx"
import { Announcer } from "./Announcer.tsx"
import { Attention } from "./Attention.tsx"
import { Banner } from "./Banner.tsx"
import { Commands } from "./Commands.tsx"
import { Meters } from "./Meters.tsx"
import { paneList } from "./panes/index.ts"
import { Side } from "./Side.tsx"
import { Talk } from "./Talk.tsx"
import { useWide } from "./useWide.ts"
import { Workspace } from "./Workspace.tsx"

type Props = { preferences: ReactNode; onTheme: () => void; onLanguage: () => void }

/** Tabs above; the team, the conversation and the workspace side by side, or one above the other as sheets. */
export function Page({ preferences, onTheme, onLanguage }: Props) {
  const words = useWords()
  const page = usePage()
  const { place } = useShell()
  const tabs = useSurface("session_tabs", {})
  const needs = useSurface("hitl").count
  const [sizes, setSizes] = useState(storedLayout)
  const [isSideSheet, setSideSheet] = useState(false)
  const draft = useRef<Draft>(null)
  const isWide = useWide(1024)
  const resize = (change: Partial<LayoutSizes>) =>
    setSizes((before) => {
      const next = { ...before, ...change }
      keepLayout(next)
      return next
    })
  const inSession = place.session !== undefined
  const hasPanes = inSession && paneList.length > 0
  const isWorkspaceOpen = hasPanes && (place.pane !== undefined || (isWide && sizes.isWorkspaceOpen))
  const isSideOpen = inSession && isWide && sizes.isSideOpen
  const closeWorkspace = () => {
    if (isWide) resize({ isWorkspaceOpen: false })
    if (place.pane !== undefined) page.openPane(undefined)
  }
  const toggleWorkspace = () => {
    if (isWorkspaceOpen) return closeWorkspace()
    if (isWide) resize({ isWorkspaceOpen: true })
    else if (paneList[0] !== undefined) page.openPane(paneList[0].id)
  }
  const toggleSide = () => (isWide ? resize({ isSideOpen: !sizes.isSideOpen }) : setSideSheet(!isSideSheet))
  const onChoose = useCallback((actionId: string) => {
    setSideSheet(false)
    // The sheet gives the focus back before the card takes it.
    setTimeout(() => focusCard(actionId))
  }, [])
  const title = tabs.tabs.find(({ sessionId }) => sessionId === place.session)?.title
  return (
    <div className="flex h-dvh flex-col">
      <header className="border-line bg-raised flex items-stretch border-b">
        <SessionTabs view={tabs} open={place.session} onPin={page.pin} />
        <Meters />
        <Commands
          tabs={tabs}
          draft={draft}
          actions={{ toggleSide, toggleWorkspace, onTheme, onLanguage, focusCard }}
        />
        {preferences}
      </header>
      <Banner />
      {inSession && (
        <div className="border-line flex items-center gap-1 border-b px-2 py-1 lg:hidden">
          <Button look="bare" onClick={toggleSide}>
            {words.side}
          </Button>
          {needs > 0 && (
            <Button look="bare" onClick={() => onChoose(firstCard())} data-needs-count={needs}>
              <span className="inline-flex items-center gap-1.5">
                <State state="needsYou" quiet />
                <span className="max-sm:sr-only">{words.needsYouCount(needs)}</span>
                <span aria-hidden="true" className="sm:hidden">
                  {needs}
                </span>
              </span>
            </Button>
          )}
          <span className="flex-1" />
          {hasPanes && (
            <Button look="bare" onClick={toggleWorkspace}>
              {words.workspace}
            </Button>
          )}
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        {isSideOpen && (
          <>
            <aside
              aria-label={words.side}
              className="bg-raised min-h-0 shrink-0"
              style={{ width: sizes.side }}
            >
              <Side onChoose={onChoose} />
            </aside>
            <Separator
              label={words.resizeSide}
              size={sizes.side}
              least={180}
              most={400}
              toward="right"
              onSize={(side) => resize({ side })}
            />
          </>
        )}
        <main className="flex min-h-0 min-w-0 flex-1 flex-col">
          {inSession && title !== undefined && title !== "unknown" && <h1 className="sr-only">{title}</h1>}
          <Talk key={place.session ?? ""} draft={draft} />
        </main>
        {isWorkspaceOpen && isWide && (
          <>
            <Separator
              label={words.resizeWorkspace}
              size={sizes.workspace}
              least={320}
              most={960}
              toward="left"
              onSize={(workspace) => resize({ workspace })}
            />
            <aside
              aria-label={words.workspace}
              className="min-h-0 shrink-0"
              style={{ width: sizes.workspace }}
            >
              <Workspace onClose={closeWorkspace} />
            </aside>
          </>
        )}
      </div>
      {!isWide && (
        <>
          <Sheet open={isSideSheet} side="left" label={words.side} onClose={() => setSideSheet(false)}>
            <Side onChoose={onChoose} />
          </Sheet>
          <Sheet
            open={isWorkspaceOpen}
            side="right"
            label={words.workspace}
            onClose={() => place.pane !== undefined && page.openPane(undefined)}
          >
            <div className="h-dvh">
              <Workspace onClose={closeWorkspace} />
            </div>
          </Sheet>
        </>
      )}
      <Announcer key={place.session ?? ""} />
      <Attention tabs={tabs} />
    </div>
  )
}

const firstCard = (): string =>
  document.querySelector<HTMLElement>("[data-action][data-open]")?.dataset.action ?? ""
