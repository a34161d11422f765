import type { Control, Span, TimelineEvidenceView } from "@factum/agent-ui"
import { memo, useCallback, useDeferredValue, useEffect, useId, useMemo, useState } from "react"
import { useReach } from "../client/page.ts"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Acts, Frame } from "../ui/Frame.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { saveFile } from "./artifact/body.ts"
import { Files } from "./artifact/Files.tsx"
import type { SurfaceProps } from "./props.ts"
import { EvidenceList } from "./timeline/EvidenceList.tsx"
import { everything, filterSpans, kindsIn, statesIn, type Wanted } from "./timeline/filter.ts"
import { Replay } from "./timeline/Replay.tsx"
import { Waterfall } from "./timeline/Waterfall.tsx"

export type Placed = {
  /** The one thing that the page's address names. */
  item?: string | undefined
  link?: ((item: string) => string) | undefined
  sessionId?: string | undefined
  /** A row was opened, or the named one closed: the address follows. */
  onItem?: ((item: string | undefined) => void) | undefined
  /** Older turns exist that were not read yet. */
  isUnread?: boolean
  /** To turns before those that are shown, and back to the newest. */
  onEarlier?: () => Promise<unknown>
  onLatest?: () => void
}

const tabs = ["spans", "evidence", "files"] as const
type Tab = (typeof tabs)[number]

/** What happened and what proves it. */
export const TimelineEvidence = memo(function TimelineEvidence({
  view,
  onIntent,
  item,
  link,
  sessionId,
  onItem,
  isUnread = false,
  onEarlier,
  onLatest,
}: SurfaceProps<TimelineEvidenceView> & Placed) {
  const { catalog, space } = useWords()
  const { local } = useReach()
  const panel = useId()
  const { spans, evidence, files } = view
  const proof = evidence.some(({ evidenceId }) => evidenceId === item)
  const [chosen, setTab] = useState<Tab>()
  const tab = chosen ?? (proof || spans.length === 0 ? "evidence" : "spans")
  const [wanted, setWanted] = useState<Wanted>(everything)
  const [moment, setMoment] = useState<string>()
  const [told, setTold] = useState<string>()
  const search = useDeferredValue(wanted)
  const found = useMemo(() => filterSpans(spans, search), [spans, search])
  const named = spans.find(({ key, id }) => key === item || id === item)
  const namedKey = named?.key
  useEffect(() => {
    if (item !== undefined && proof) setTab("evidence")
  }, [item, proof])
  // Following a link to a fact opens it here, and so closes it in the conversation.
  useEffect(() => {
    if (item === undefined || namedKey === undefined || proof) return
    setTab("spans")
    local({
      kind: "expand",
      id: namedKey.startsWith("run:") ? namedKey.slice(4) : namedKey,
      where: "timeline",
    })
  }, [item, namedKey, proof, local])
  const toggle = useCallback(
    (span: Span) => {
      const id = span.kind === "run" ? span.id : span.key
      local(span.expanded ? { kind: "collapse", id } : { kind: "expand", id, where: "timeline" })
      onItem?.(span.expanded ? undefined : span.key)
    },
    [local, onItem],
  )
  const newest = view.runs.at(-1)
  const act = async (control: Control) => {
    setTold(undefined)
    if (control === "request_review" && newest !== undefined)
      await onIntent({ control, target: { kind: "run", id: newest.runId } })
    if (control === "open_detail" && newest !== undefined)
      await onIntent({ control, target: { kind: "run", id: newest.runId } })
    if (control !== "export" || sessionId === undefined) return
    const result = await onIntent({ control, sessionId, kind: "evidence" })
    if (result.status === "refused") return setTold(space.notExported(result.message ?? result.code))
    saveFile(`${sessionId}-evidence.json`, "application/json", JSON.stringify(result.value ?? null, null, 2))
  }
  const counts = { spans: spans.length, evidence: evidence.length, files: files.length }
  return (
    <Frame
      view={view}
      has={spans.length + evidence.length > 0}
      hint={space.timelineHint}
      bar={
        <>
          <Acts
            className="shrink-0 px-3 py-1.5"
            offered={view.controls}
            about={catalog.surface.timeline_evidence}
            onAct={(control) => void act(control)}
          />
          {told !== undefined && (
            <p role="alert" className="text-bad meta px-3 pb-1">
              {told}
            </p>
          )}
        </>
      }
    >
      <Tabs
        label={catalog.surface.timeline_evidence}
        tabs={tabs.map((id) => ({ id, label: `${space.tabs[id]} ${counts[id] === 0 ? "" : counts[id]}` }))}
        selected={tab}
        onSelect={(id) => setTab(tabs.find((one) => one === id) ?? "spans")}
        panel={panel}
      />
      <div id={panel} role="tabpanel" aria-label={space.tabs[tab]} className="flex min-h-0 flex-1 flex-col">
        {tab === "spans" && (
          <>
            <Filters spans={spans} wanted={wanted} onWanted={setWanted} />
            <Replay spans={spans} moment={moment} onMoment={setMoment} />
            <Others count={view.earlierRuns} isUnread={isUnread} onEarlier={onEarlier} />
            {found.length === 0 ? (
              <p className="meta px-3 py-4" data-none>
                {space.nothingFits}
              </p>
            ) : (
              <Waterfall spans={found} moment={moment} item={item} link={link} onToggle={toggle} />
            )}
            {view.laterRuns > 0 && (
              <p className="meta border-line flex items-center gap-2 border-t px-3 py-1" data-later-runs>
                {space.laterRuns(view.laterRuns)}
                {onLatest !== undefined && (
                  <Button look="bare" onClick={onLatest}>
                    {space.showLatestRuns}
                  </Button>
                )}
              </p>
            )}
          </>
        )}
        {tab === "evidence" &&
          (evidence.length === 0 ? (
            <p className="meta px-3 py-4">{space.noEvidence}</p>
          ) : (
            <EvidenceList
              evidence={evidence}
              item={item}
              link={link}
              sessionId={sessionId}
              onIntent={onIntent}
              onItem={onItem}
            />
          ))}
        {tab === "files" &&
          (files.length === 0 ? <p className="meta px-3 py-4">{space.noFiles}</p> : <Files files={files} />)}
      </div>
    </Frame>
  )
})

/** What is older than the turns that are shown. */
function Others({
  count,
  isUnread,
  onEarlier,
}: {
  count: number
  isUnread: boolean
  onEarlier: (() => Promise<unknown>) | undefined
}) {
  const { space } = useWords()
  const [isBusy, setBusy] = useState(false)
  if (count === 0 && !isUnread) return null
  const show = async () => {
    setBusy(true)
    await onEarlier?.()
    setBusy(false)
  }
  return (
    <p className="meta flex items-center gap-2 px-3 py-1" data-earlier-runs={count}>
      {count > 0 ? space.earlierRuns(count) : space.earlierUnread}
      {onEarlier !== undefined && (
        <Button look="bare" disabled={isBusy} onClick={() => void show()}>
          {space.showEarlierRuns}
        </Button>
      )}
    </p>
  )
}

function Filters({
  spans,
  wanted,
  onWanted,
}: {
  spans: readonly Span[]
  wanted: Wanted
  onWanted: (wanted: Wanted) => void
}) {
  const words = useWords()
  const { catalog, space } = words
  const kinds = useMemo(() => kindsIn(spans), [spans])
  const states = useMemo(() => statesIn(spans), [spans])
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 px-3 py-1.5">
      <input
        type="search"
        value={wanted.text}
        placeholder={space.search}
        aria-label={space.search}
        className="border-edge bg-page min-w-32 flex-1 rounded-md border px-2 py-0.5 text-[13px]"
        onChange={({ target }) => onWanted({ ...wanted, text: target.value })}
      />
      <Pick
        label={space.filterKind}
        any={space.anyKind}
        value={[...wanted.kinds][0]}
        options={kinds.map((kind) => [kind, kind === "run" ? space.run : wordOf(catalog.process, kind)])}
        onPick={(kind) => onWanted({ ...wanted, kinds: new Set(kinds.filter((one) => one === kind)) })}
      />
      <Pick
        label={space.filterStatus}
        any={space.anyStatus}
        value={[...wanted.states][0]}
        options={states.map((state) => [state, words.states[state]])}
        onPick={(state) => onWanted({ ...wanted, states: new Set(states.filter((one) => one === state)) })}
      />
    </div>
  )
}

function Pick({
  label,
  any,
  value = "",
  options,
  onPick,
}: {
  label: string
  any: string
  value?: string | undefined
  options: readonly (readonly [string, string])[]
  onPick: (chosen: string) => void
}) {
  return (
    <select
      aria-label={label}
      value={value}
      className="border-edge bg-page max-w-36 rounded-md border px-1.5 py-0.5 text-[13px]"
      onChange={({ target }) => onPick(target.value)}
    >
      <option value="">{any}</option>
      {options.map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
