import type { ArtifactRow, ArtifactWorkspaceView, Control } from "@factum/agent-ui"
import { memo, useCallback, useId, useState } from "react"
import { useReach } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Fallback } from "../ui/Fallback.tsx"
import { Acts, Frame } from "../ui/Frame.tsx"
import { MarkLine } from "../ui/SurfacePanel.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { ArtifactList } from "./artifact/ArtifactList.tsx"
import { saveFile } from "./artifact/body.ts"
import { DiffPane } from "./artifact/DiffPane.tsx"
import { EditPane } from "./artifact/EditPane.tsx"
import { Exports } from "./artifact/Exports.tsx"
import { Files } from "./artifact/Files.tsx"
import { isText, previewKind } from "./artifact/kinds.ts"
import { Preview } from "./artifact/Preview.tsx"
import { Versions } from "./artifact/Versions.tsx"
import type { SurfaceProps } from "./props.ts"

/** What was made: to look at, change, compare, take back and take away. */
export const ArtifactWorkspace = memo(function ArtifactWorkspace({
  view,
  onIntent,
}: SurfaceProps<ArtifactWorkspaceView>) {
  const { space } = useWords()
  const { local } = useReach()
  const { artifacts, selected, files } = view
  const select = useCallback(
    (id: string) => {
      local({ kind: "select_artifact", id })
      void onIntent({ control: "open_detail", target: { kind: "artifact", id } })
    },
    [local, onIntent],
  )
  return (
    <Frame
      view={view}
      has={artifacts.length + files.length > 0}
      hint={space.artifactHint}
      marks={selected === undefined ? [] : [selected]}
    >
      {artifacts.length > 0 && (
        <ArtifactList artifacts={artifacts} selected={selected?.artifactId} onSelect={select} />
      )}
      {selected !== undefined && (
        <Selected
          key={selected.artifactId}
          artifact={selected}
          controls={view.controls}
          onIntent={onIntent}
        />
      )}
      {files.length > 0 && <Files files={files} />}
    </Frame>
  )
})

const modes = ["preview", "edit", "diff", "versions"] as const
type Mode = (typeof modes)[number]

function Selected({
  artifact,
  controls,
  onIntent,
}: {
  artifact: ArtifactRow
  controls: ArtifactWorkspaceView["controls"]
  onIntent: SurfaceProps<unknown>["onIntent"]
}) {
  const { space } = useWords()
  const { read } = useReach()
  const panel = useId()
  const [mode, setMode] = useState<Mode>(artifact.edit === undefined ? "preview" : "edit")
  const [shown, setShown] = useState<string>()
  const [compared, setCompared] = useState<string>()
  const [told, setTold] = useState<{ bad: boolean; text: string }>()
  const { artifactId, gone, title } = artifact
  const name = title === "unknown" || title === "unavailable" ? artifactId : title
  const text = isText(previewKind(artifact))
  const version =
    artifact.versions.find(({ versionId }) => versionId === shown) ??
    artifact.versions.find(({ current }) => current)
  const goTo = (next: Mode) => {
    setMode(next)
    // An edit is always of the newest version, so no older one is named above it.
    if (next === "edit") setShown(undefined)
  }
  const toPreview = useCallback(() => setMode("preview"), [])

  const exportIt = async () => {
    const result = await onIntent({
      control: "export",
      artifactId,
      ...(version !== undefined && { versionId: version.versionId }),
    })
    if (result.status === "refused")
      return setTold({ bad: true, text: space.notExported(result.message ?? result.code) })
    const uri = downloadIn(result.value)
    if (uri === undefined) return setTold({ bad: false, text: space.exportAsked })
    const reply = await read(uri)
    if (!reply.ok) return setTold({ bad: true, text: space.notExported(reply.refusal.message) })
    saveFile(name.replace(/^.*[/\\]/, ""), artifact.mediaType ?? "application/octet-stream", reply.result)
    setTold({ bad: false, text: space.exported(name) })
  }
  const act = (control: Control) => {
    setTold(undefined)
    if (control === "edit" && text) goTo("edit")
    if (control === "edit" && !text) setTold({ bad: true, text: space.notText })
    if (control === "rollback") setMode("versions")
    if (control === "export") void exportIt()
    if (control === "retry") void onIntent({ control: "retry", target: { kind: "artifact", id: artifactId } })
    if (control === "open_detail")
      void onIntent({
        control: "open_detail",
        target: { kind: "artifact", id: artifactId, ...(version && { version: version.versionId }) },
      })
  }
  const offered = modes.filter((one) => one === "preview" || one === "versions" || (text && !gone))
  return (
    <article aria-label={name} data-artifact-open={artifactId} className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pt-2 pb-1">
        <h3 className="min-w-0 flex-1 basis-40 truncate font-medium" title={name}>
          {name}{" "}
          {version !== undefined && (
            <span className="meta font-normal" data-shown-version={version.versionId}>
              {space.version(version.label ?? version.versionId)}
              {!version.current && ` · ${space.older}`}
            </span>
          )}
        </h3>
        <Acts offered={controls} about={name} onAct={act} />
      </header>
      <Notes artifact={artifact} />
      {told !== undefined && (
        <p role={told.bad ? "alert" : "status"} className={`meta px-3 pb-1 ${told.bad ? "text-bad" : ""}`}>
          {told.text}
        </p>
      )}
      <Exports artifact={artifact} name={name} />
      {gone ? (
        <Fallback state="unavailable" title={space.gone} reason={space.goneWhy} />
      ) : (
        <>
          <Tabs
            label={name}
            tabs={offered.map((id) => ({
              id,
              label: space.modes[id],
              ...(id === "edit" &&
                artifact.edit !== undefined && { badge: <span title={space.unsaved}>•</span> }),
            }))}
            selected={mode}
            onSelect={(id) => goTo(modes.find((one) => one === id) ?? "preview")}
            panel={panel}
          />
          <div
            id={panel}
            role="tabpanel"
            aria-label={space.modes[mode]}
            className="flex min-h-0 flex-1 flex-col"
          >
            {mode === "preview" && (
              <section
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
                tabIndex={0}
                aria-label={space.previewOf(name)}
                className="thin-scroll min-h-0 flex-1 overflow-auto"
              >
                <Preview key={version?.versionId} artifact={artifact} version={version} />
              </section>
            )}
            {mode === "edit" && (
              <EditPane
                artifact={artifact}
                onIntent={onIntent}
                onCompare={() => setMode("diff")}
                onLeave={toPreview}
              />
            )}
            {mode === "diff" && <DiffPane key={compared} artifact={artifact} first={compared} />}
            {mode === "versions" && (
              <Versions
                artifact={artifact}
                rollback={controls.find(({ control }) => control === "rollback")}
                shown={version?.versionId}
                onIntent={onIntent}
                onShow={(id) => {
                  setShown(id)
                  setMode("preview")
                }}
                onCompare={(id) => {
                  setCompared(id)
                  setMode("diff")
                }}
              />
            )}
          </div>
        </>
      )}
    </article>
  )
}

function Notes({ artifact }: { artifact: ArtifactRow }) {
  const { space } = useWords()
  const { failure, handoff, validationIssues } = artifact
  return (
    <div className="flex flex-col gap-0.5 px-3 pb-1 empty:hidden">
      <MarkLine mark={artifact} />
      {failure !== undefined && (
        <p className="text-bad meta">{space.failed(failure.message ?? space.reasonUnknown)}</p>
      )}
      {typeof validationIssues === "number" && validationIssues > 0 && (
        <p className="meta">{space.issues(validationIssues)}</p>
      )}
      {handoff !== undefined && <p className="meta">{space.handoff(handoff)}</p>}
    </div>
  )
}

/** Where an owner put what was asked for, if it says so. */
function downloadIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("download_ref" in value)) return undefined
  const { download_ref: ref } = value
  return typeof ref === "object" && ref !== null && "uri" in ref && typeof ref.uri === "string"
    ? ref.uri
    : undefined
}
