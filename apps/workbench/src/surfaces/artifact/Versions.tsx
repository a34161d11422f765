import type { ArtifactRow, ControlView } from "@factum/agent-ui"
import { useState } from "react"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"
import { Ago } from "../../ui/Time.tsx"
import type { SurfaceProps } from "../props.ts"

type Props = {
  artifact: ArtifactRow
  rollback: ControlView | undefined
  shown: string | undefined
  onIntent: SurfaceProps<unknown>["onIntent"]
  onShow: (versionId: string) => void
  onCompare: (versionId: string) => void
}
type Rolling =
  | { to: string; state: "asked" | "sending" | "sent" }
  | { to: string; state: "failed"; why: string }

/** Every version, newest first. Rolling back makes an older one the newest; nothing is lost by it. */
export function Versions({ artifact, rollback, shown, onIntent, onShow, onCompare }: Props) {
  const { catalog, space } = useWords()
  const [rolling, setRolling] = useState<Rolling>()
  const { artifactId, versions, currentVersionId } = artifact
  const roll = async (versionId: string) => {
    setRolling({ to: versionId, state: "sending" })
    const result = await onIntent({ control: "rollback", artifactId, versionId })
    setRolling(
      result.status === "refused"
        ? { to: versionId, state: "failed", why: result.message ?? result.code }
        : { to: versionId, state: "sent" },
    )
  }
  return (
    <ol reversed className="thin-scroll min-h-0 flex-1 overflow-auto" aria-label={space.versions}>
      {versions.toReversed().map(({ versionId, label = versionId, author, createdAt, current }) => {
        const mine = rolling?.to === versionId ? rolling : undefined
        return (
          <li key={versionId} data-version={versionId} className="border-line border-b px-3 py-2">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium">{space.version(label)}</span>
              {current && <span className="border-line meta rounded border px-1">{space.current}</span>}
              {author !== undefined && <span className="meta">{author}</span>}
              {createdAt !== undefined && <Ago time={createdAt} />}
              <span className="ml-auto flex flex-wrap gap-1">
                <Button look="bare" aria-pressed={shown === versionId} onClick={() => onShow(versionId)}>
                  {space.show}
                </Button>
                {!current && (
                  <Button look="bare" onClick={() => onCompare(versionId)}>
                    {space.compare}
                  </Button>
                )}
                {versionId !== currentVersionId && mine?.state !== "asked" && (
                  <Button
                    data-act="rollback-to"
                    disabled={rollback?.enabled !== true || mine?.state === "sending"}
                    title={rollback?.reason && catalog.reason[rollback.reason]}
                    aria-label={space.rollbackTo(label)}
                    onClick={() => setRolling({ to: versionId, state: "asked" })}
                  >
                    {catalog.control.rollback}
                  </Button>
                )}
              </span>
            </div>
            {mine?.state === "asked" && (
              <div className="flex flex-wrap items-center gap-2 pt-1.5">
                <span className="meta">{space.rollbackMeans(label)}</span>
                <Button
                  look="primary"
                  data-act="rollback-confirm"
                  autoFocus
                  onClick={() => void roll(versionId)}
                >
                  {space.rollbackTo(label)}
                </Button>
                <Button onClick={() => setRolling(undefined)}>{space.cancel}</Button>
              </div>
            )}
            {mine?.state === "sent" && !current && (
              <p role="status" className="meta pt-1">
                {space.rollbackSent}
              </p>
            )}
            {mine?.state === "failed" && (
              <p role="alert" className="text-bad meta pt-1">
                {space.notRolledBack(mine.why)}
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}
