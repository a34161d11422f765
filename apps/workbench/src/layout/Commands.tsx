import type { SessionTabsView } from "@factum/agent-ui"
import { type RefObject, useState } from "react"
import { askToNotify, canNotify } from "../client/notify.ts"
import { usePage, useShell } from "../client/page.ts"
import { keepNotifications, wantsNotifications } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import { saveReport } from "../report/save.ts"
import type { Draft } from "../surfaces/Composer.tsx"
import { inOrder, inRow, titleOf, waitingElsewhere } from "../surfaces/SessionTabs.tsx"
import { Button } from "../ui/Button.tsx"
import { CheatSheet } from "./CheatSheet.tsx"
import { type Hotkeys, shown, useHotkeys } from "./hotkeys.ts"
import { Palette, type PaletteCommand } from "./Palette.tsx"
import { paneList } from "./panes/index.ts"

type Props = {
  tabs: SessionTabsView
  draft: RefObject<Draft | null>
  actions: {
    toggleSide: () => void
    toggleWorkspace: () => void
    onTheme: () => void
    onLanguage: () => void
    focusCard: (actionId: string | undefined) => void
  }
}

/** Everything that can be done by name or by key. */
export function Commands({ tabs, draft, actions }: Props) {
  const words = useWords()
  const page = usePage()
  const { place, aside } = useShell()
  const [open, setOpen] = useState<"palette" | "cheat">()
  const { paletteGroups: groups, shortcutOf: names } = words
  const needs = () => {
    const card = document.querySelector<HTMLElement>("[data-action][data-open]")?.dataset.action
    const [other] = waitingElsewhere(tabs.tabs, place.session)
    if (card === undefined && other !== undefined) page.go({ session: other.sessionId })
    else actions.focusCard(card)
  }
  const closeTab = () => {
    const { session } = place
    const tab = inRow(tabs.tabs, session, aside).find(({ sessionId }) => sessionId === session)
    if (session !== undefined) page.closeTab(session, tab?.next)
  }
  const own: PaletteCommand[] = [
    { id: "create", label: names.create, keys: "c", run: () => page.go({}) },
    { id: "compose", label: names.compose, keys: "i", run: () => draft.current?.focus() },
    { id: "needs", label: names.needs, keys: "u", run: needs },
    { id: "side", label: names.side, keys: "[", run: actions.toggleSide },
    { id: "workspace", label: names.workspace, keys: "]", run: actions.toggleWorkspace },
    ...(place.session === undefined
      ? []
      : [{ id: "close-tab", label: names.closeTab, keys: "x", run: closeTab }]),
    { id: "theme", label: words.theme, run: actions.onTheme },
    { id: "language", label: words.language, run: actions.onLanguage },
    ...(canNotify()
      ? [
          {
            id: "notify",
            label: wantsNotifications() ? words.notifyOff : words.notifyOn,
            run: toggleNotifications,
          },
        ]
      : []),
    ...(place.session === undefined
      ? []
      : [
          {
            id: "report",
            label: words.space.report.save,
            run: () => {
              const missing = { code: "not_fetched", message: words.broken.missing(words.space.report.save) }
              saveReport(page, place.session, words).catch(() => page.tell(missing))
            },
          },
        ]),
    { id: "cheat", label: words.shortcuts, keys: "?", run: () => setOpen("cheat") },
  ].map((command) => ({ ...command, group: groups.command }))
  const panes: PaletteCommand[] =
    place.session === undefined
      ? []
      : paneList.map(({ id, surface, letter }) => ({
          id: `pane-${id}`,
          label: words.catalog.surface[surface],
          also: surface,
          group: groups.pane,
          keys: `g ${letter}`,
          run: () => page.openPane(id),
        }))
  const sessions: PaletteCommand[] = inOrder(tabs.tabs).map((tab) => ({
    id: `session-${tab.sessionId}`,
    label: titleOf(tab) || words.untitled,
    also: tab.sessionId,
    group: groups.session,
    run: () => page.go({ session: tab.sessionId }),
  }))
  const commands = [...own, ...panes, ...sessions]
  const hotkeys: Hotkeys = {
    ...Object.fromEntries(
      [...own, ...panes].flatMap(({ keys, run }) => (keys === undefined ? [] : [[keys, run]])),
    ),
    "mod+k": () => setOpen("palette"),
    j: () => moveInList(1),
    k: () => moveInList(-1),
  }
  useHotkeys(open === undefined ? hotkeys : {})
  const keys = shown("mod+K").join(" ")
  return (
    <>
      <Button
        look="bare"
        aria-label={`${words.searchChip} ${keys} · ${words.palette}`}
        title={words.palette}
        aria-keyshortcuts="Control+K"
        className="self-center"
        onClick={() => setOpen("palette")}
      >
        <span className="flex items-center gap-1.5">
          <Magnifier />
          <span className="max-lg:hidden">{words.searchChip}</span>{" "}
          <kbd className="max-sm:hidden">{keys}</kbd>
        </span>
      </Button>
      <Palette open={open === "palette"} commands={commands} onClose={() => setOpen(undefined)} />
      <CheatSheet open={open === "cheat"} panes={panes} own={own} onClose={() => setOpen(undefined)} />
    </>
  )
}

function Magnifier() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className="size-3.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    >
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.5 3.5" />
    </svg>
  )
}

async function toggleNotifications(): Promise<void> {
  if (wantsNotifications()) return keepNotifications(false)
  keepNotifications(await askToNotify())
}

/** To the next or previous item of the list in which the focus is: a row, a link or a card. */
function moveInList(by: number): void {
  const focused = document.activeElement
  const list = focused?.closest("ul, ol, [data-process], [role=list], section")
  const items = [
    ...(list?.querySelectorAll<HTMLElement>("a[href], button:not(:disabled), [data-action]") ?? []),
  ]
  const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1
  items[Math.min(items.length - 1, Math.max(0, at + by))]?.focus()
}
