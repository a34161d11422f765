import type { ArtifactRow } from "@factum/agent-ui"
import { useState } from "react"
import { useReach } from "../../client/page.ts"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"
import { Status } from "../../ui/Status.tsx"
import { saveFile } from "./body.ts"

/** The exports that the owner told of, each as it stands. */
export function Exports({ artifact, name }: { artifact: ArtifactRow; name: string }) {
  const { space } = useWords()
  const { read } = useReach()
  const [problem, setProblem] = useState<string>()
  if (artifact.exports.length === 0) return null
  const save = async (ref: string, format: string | undefined) => {
    const reply = await read(ref)
    if (!reply.ok) return setProblem(reply.refusal.message)
    setProblem(undefined)
    saveFile(format === undefined ? name : `${name}.${format}`, "application/octet-stream", reply.result)
  }
  return (
    <ul aria-label={space.exports} className="meta flex flex-wrap items-center gap-x-3 px-3 pb-1">
      {artifact.exports.map(({ exportId, state, format, ref }) => (
        <li key={exportId} data-export={state} className="inline-flex items-center gap-1.5">
          <Status status={state} quiet />
          {format ?? exportId}
          {state === "done" && ref !== undefined && (
            <Button look="bare" onClick={() => void save(ref, format)}>
              {space.download}
            </Button>
          )}
        </li>
      ))}
      {problem !== undefined && (
        <li role="alert" className="text-bad">
          {space.because(space.notReadable, problem)}
        </li>
      )}
    </ul>
  )
}
