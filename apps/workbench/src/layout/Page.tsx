import { type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import { usePage, useShell, useSurface } from "../client/page.ts"
import { keepLayout, type LayoutSizes, storedLayout } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import type { Draft } from "../surfaces/Composer.tsx"
import { focusCard } from "../surfaces/Conversation.tsx"
import { SessionTabs } from "../surfaces/SessionTabs.tsx"
import { Button } from "../ui/Button.tsx"
import { Guard } from "../ui/Guard.tsx"
import { Sheet } from "../ui/Sheet.tsx"
import { Separator } from "../ui/Split.tsx"
import { State } from "../ui/State.tsx"
import { Announcer } from "./Announcer.tsx"
import { Attention } from "./Attention.tsx"
import { Banner } from "./Banner.tsx"
import { Commands } from "./Commands.tsx"
import { Meters } from "./Meters.tsx"
import { Missing } from "./Missing.tsx"
import { paneList } from "./panes/index.ts"
import { Side } from "./Side.tsx"
import { Talk } from "./Talk.tsx"
import { useContent, useContentAtStart } from "./useContent.ts"
import { useWide } from "./useWide.ts"
import { Workspace } from "./Workspace.tsx"

type Props = { preferences: ReactNode; onTheme: () => void; onLanguage: () => void }

/** Tabs above; the team, the conversation and the workspace side by side, or one above the other as sheets. */
export function Page({ preferences, onTheme, onLanguage }: Props) {
  const words = useWords()
  const page = usePage()
  const { place, aside, more, wanted } = useShell()
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
  const content = useContent()
  const contentAtStart = useContentAtStart()
  const isWanted = sizes.isWorkspaceOpen ?? contentAtStart !== undefined
  const isWorkspaceOpen = hasPanes && (place.pane !== undefined || (isWide && isWanted))
  const isSideOpen = inSession && isWide && sizes.isSideOpen
  const closeWorkspace = () => {
    if (isWide) resize({ isWorkspaceOpen: false })
    if (place.pane !== undefined) page.openPane(undefined)
  }
  const toggleWorkspace = () => {
    if (isWorkspaceOpen) return closeWorkspace()
    if (isWide) resize({ isWorkspaceOpen: true })
    else page.openPane(content ?? "timeline")
  }
  const toggleSide = () => (isWide ? resize({ isSideOpen: !sizes.isSideOpen }) : setSideSheet(!isSideSheet))
  const onChoose = useCallback((actionId: string) => {
    setSideSheet(false)
    // The sheet gives the focus back before the card takes it.
    setTimeout(() => focusCard(actionId))
  }, [])
  const toWanted = useRef(onChoose)
  toWanted.current = (actionId) => {
    // A sheet lies over the card.
    if (!isWide && place.pane !== undefined) page.openPane(undefined)
    onChoose(actionId)
  }
  useEffect(() => {
    if (wanted !== undefined) toWanted.current(wanted.actionId)
  }, [wanted])
  const title = tabs.tabs.find(({ sessionId }) => sessionId === place.session)?.title
  return (
    <div className="flex h-dvh flex-col">
      <header className="border-line bg-raised flex items-stretch border-b">
        {inSession && !isWide && (
          <HeaderButton label={words.side} onPress={toggleSide}>
            <PanelShape at="left" />
          </HeaderButton>
        )}
        <Guard name={words.sessions}>
          <SessionTabs
            view={tabs}
            open={place.session}
            aside={aside}
            hasMore={more !== undefined}
            onPin={page.pin}
            onClose={page.closeTab}
            onFind={page.findSessions}
          />
        </Guard>
        {inSession && !isWide && needs > 0 && (
          <Button
            look="bare"
            className="self-center"
            onClick={() => onChoose(firstCard())}
            data-needs-count={needs}
          >
            <span className="inline-flex items-center gap-1.5">
              <State state="needsYou" quiet />
              <span className="max-sm:sr-only">{words.needsYouCount(needs)}</span>
              <span aria-hidden="true" className="sm:hidden">
                {needs}
              </span>
            </span>
          </Button>
        )}
        <Guard silent name={words.cost}>
          <Meters />
        </Guard>
        <Commands
          tabs={tabs}
          draft={draft}
          actions={{ toggleSide, toggleWorkspace, onTheme, onLanguage, focusCard }}
        />
        {hasPanes && !(isWide && isWorkspaceOpen) && (
          <HeaderButton
            label={words.workspace}
            hint={content === undefined ? words.workspace : words.workspaceHas}
            onPress={toggleWorkspace}
          >
            <PanelShape at="right" isFilled={content !== undefined} />
          </HeaderButton>
        )}
        {/* A phone has no room for them beside an open session; they are in the sheet of the team. */}
        <div className={`flex ${inSession ? "max-sm:hidden" : ""}`}>{preferences}</div>
      </header>
      <Banner />
      <Guard silent name={words.link}>
        <Missing />
      </Guard>
      <div className="flex min-h-0 flex-1">
        {isSideOpen && (
          // The line that resizes it belongs to it: nothing stands outside of the landmarks.
          <aside aria-label={words.side} className="bg-raised flex min-h-0 shrink-0">
            <div className="min-h-0" style={{ width: sizes.side }}>
              <Side onChoose={onChoose} />
            </div>
            <Separator
              label={words.resizeSide}
              size={sizes.side}
              least={180}
              most={400}
              toward="right"
              onSize={(side) => resize({ side })}
            />
          </aside>
        )}
        <main className="flex min-h-0 min-w-0 flex-1 flex-col">
          {inSession && title !== undefined && title !== "unknown" && <h1 className="sr-only">{title}</h1>}
          <Talk key={place.session ?? ""} draft={draft} />
        </main>
        {isWorkspaceOpen && isWide && (
          <aside aria-label={words.workspace} className="flex min-h-0 shrink-0">
            <Separator
              label={words.resizeWorkspace}
              size={sizes.workspace}
              least={320}
              most={960}
              toward="left"
              onSize={(workspace) => resize({ workspace })}
            />
            <div className="min-h-0" style={{ width: sizes.workspace }}>
              <Workspace onClose={closeWorkspace} />
            </div>
          </aside>
        )}
      </div>
      {!isWide && (
        <>
          <Sheet open={isSideSheet} side="left" label={words.side} onClose={() => setSideSheet(false)}>
            <div className="flex h-dvh flex-col">
              <div className="min-h-0 flex-1">
                <Side onChoose={onChoose} />
              </div>
              <div className="border-line border-t py-1 sm:hidden">{preferences}</div>
            </div>
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
      <Guard key={place.session ?? ""} silent name={words.states.needsYou}>
        <Announcer />
        <Attention tabs={tabs} />
      </Guard>
    </div>
  )
}

function HeaderButton({
  label,
  hint = label,
  onPress,
  children,
}: {
  label: string
  hint?: string
  onPress: () => void
  children: ReactNode
}) {
  return (
    <Button look="bare" aria-label={label} title={hint} className="self-center" onClick={onPress}>
      {children}
    </Button>
  )
}

/** A page with a part at one side; the part is filled when there is something in it. */
function PanelShape({ at, isFilled = false }: { at: "left" | "right"; isFilled?: boolean }) {
  const x = at === "left" ? 6 : 10
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className="size-4"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
    >
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d={`M${x} 3v10`} />
      {isFilled && (
        <path d="M10 3h2.5A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5H10z" fill="currentColor" />
      )}
    </svg>
  )
}

const firstCard = (): string =>
  document.querySelector<HTMLElement>("[data-action][data-open]")?.dataset.action ?? ""
