import type { ArtifactRow } from "@factum/agent-ui"
import { Suspense, useEffect, useState } from "react"
import { useReach } from "../../client/page.ts"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"
import { Fallback } from "../../ui/Fallback.tsx"
import { fetched } from "../../ui/fetched.tsx"
import { State } from "../../ui/State.tsx"
import type { SurfaceProps } from "../props.ts"
import { textIn, useBody } from "./body.ts"
import { languageOf } from "./kinds.ts"

const Editor = fetched(() => import("./Editor.tsx"))

type Saving =
  | { state: "none" }
  | { state: "saving" }
  | { state: "saved"; over?: string; version?: string }
  | { state: "failed"; why: string }
type Props = {
  artifact: ArtifactRow
  onIntent: SurfaceProps<unknown>["onIntent"]
  onCompare: () => void
  onLeave: () => void
}

/** A person's own change of an artifact. It is kept until its owner has it, whatever happens in between. */
export function EditPane({ artifact, onIntent, onCompare, onLeave }: Props) {
  const { space } = useWords()
  const { local } = useReach()
  const { artifactId, edit, currentVersionId, title } = artifact
  const [saving, setSaving] = useState<Saving>({ state: "none" })
  const current = artifact.versions.find((version) => version.current)
  const whole =
    typeof artifact.preview === "object" && !artifact.preview.truncated ? artifact.preview.text : undefined
  const body = useBody(current?.ref ?? artifact.bodyRef, edit === undefined && whole === undefined)
  const text = edit?.text ?? whole ?? (body.state === "read" ? textIn(body.bytes) : undefined)
  const [begun, setBegun] = useState(0)
  // Until the fact of the saved version comes, what is typed on top of it looks older than it is.
  const isAhead = saving.state === "saved" && saving.over === currentVersionId
  const behind = edit?.behind === true && saving.state !== "saving" && !isAhead
  const confirmed = saving.state === "saved" && !isAhead && edit === undefined
  useEffect(() => {
    if (confirmed) onLeave()
  }, [confirmed, onLeave])

  if (text === undefined)
    return body.state === "failed" || (current?.ref ?? artifact.bodyRef) === undefined ? (
      <Fallback
        state="unavailable"
        title={space.notReadable}
        reason={body.state === "failed" ? body.why : space.noBodyWhy}
      />
    ) : (
      <Fallback state="loading" title={space.reading} />
    )

  const saved = isAhead ? saving.version : undefined
  const base = edit?.base ?? saved ?? currentVersionId
  const change = (next: string) =>
    local({ kind: "edit_artifact", id: artifactId, text: next, ...(base !== undefined && { base }) })
  const save = async (from = base) => {
    if (edit === undefined || saving.state === "saving") return
    const { text: sent } = edit
    setSaving({ state: "saving" })
    const result = await onIntent({
      control: "edit",
      artifactId,
      body: sent,
      ...(from !== undefined && { versionId: from }),
    })
    if (result.status === "refused") return setSaving({ state: "failed", why: result.message ?? result.code })
    const version = versionIn(result.value)
    local({ kind: "edit_saved", id: artifactId, text: sent, ...(version !== undefined && { version }) })
    setSaving({
      state: "saved",
      ...(from !== undefined && { over: from }),
      ...(version !== undefined && { version }),
    })
  }
  const discard = () => {
    local({ kind: "edit_artifact", id: artifactId })
    setSaving({ state: "none" })
    setBegun(begun + 1)
    onLeave()
  }
  const label = current?.label ?? currentVersionId ?? ""
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-edit={saving.state}>
      {saving.state === "failed" && (
        <div role="alert" className="border-line bg-warn border-b px-3 py-2">
          <p className="flex items-center gap-2">
            <State state="failed" quiet />
            {space.notSaved(saving.why)}
          </p>
          <p className="meta pt-0.5">{space.editKept(label)}</p>
        </div>
      )}
      {behind && (
        <div
          role="status"
          className="border-line bg-warn flex flex-wrap items-center gap-2 border-b px-3 py-2"
        >
          <span className="min-w-0 flex-1">{space.behind(label, edit?.base ?? "")}</span>
          <Button onClick={onCompare}>{space.compareEdit}</Button>
          <Button data-act="save-over" onClick={() => void save(currentVersionId)}>
            {space.saveOver(label)}
          </Button>
        </div>
      )}
      <div className="border-line flex shrink-0 flex-wrap items-center gap-2 border-b px-3 py-1.5">
        <Button
          look="primary"
          data-act="save"
          disabled={edit === undefined || saving.state === "saving" || behind}
          onClick={() => void save()}
        >
          {saving.state === "saving" ? space.saving : space.save}
        </Button>
        <Button data-act="discard" disabled={saving.state === "saving"} onClick={discard}>
          {edit === undefined ? space.leave : space.discard}
        </Button>
        <span className="meta" aria-live="polite">
          {edit !== undefined
            ? space.unsaved
            : saving.state === "saved"
              ? space.savedWaiting
              : space.unchanged}
        </span>
      </div>
      <div className="thin-scroll min-h-0 flex-1 overflow-auto">
        <Suspense fallback={<Fallback state="loading" title={space.openingEditor} />}>
          <Editor
            key={begun}
            label={space.editOf(title)}
            text={text}
            language={languageOf(artifact)}
            onChange={change}
            onSave={() => void save()}
          />
        </Suspense>
      </div>
    </div>
  )
}

/** The version that an owner made of what it was given, if it says so. */
function versionIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("version" in value)) return undefined
  return typeof value.version === "string" ? value.version : undefined
}
