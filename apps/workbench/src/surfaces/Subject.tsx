import type { ActionCard, HitlView } from "@factum/agent-ui"
import { useState } from "react"
import { useReach } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Markdown } from "../ui/Markdown.tsx"
import { DiffText } from "./DiffText.tsx"
import type { SurfaceProps } from "./props.ts"

/** What a decision is about: a plan, or a version of an artifact with its diff. */
export function Subject({
  card,
  onIntent,
}: {
  card: ActionCard
  onIntent: SurfaceProps<HitlView>["onIntent"]
}) {
  const words = useWords()
  const { plan, artifact } = card
  return (
    <>
      {plan !== undefined && (
        <div
          className="border-line thin-scroll mt-2 max-h-96 overflow-y-auto border-l-2 pl-3"
          data-role="plan"
        >
          {plan.text !== undefined && <Markdown text={plan.text} />}
          <ol className="list-decimal pl-5">
            {plan.steps.map((step, at) => (
              <li key={step.id ?? at}>{step.title}</li>
            ))}
          </ol>
        </div>
      )}
      {artifact !== undefined && (
        <div className="mt-2" data-role="artifact">
          <Button
            look="bare"
            onClick={() =>
              onIntent({
                control: "open_detail",
                target: {
                  kind: "artifact",
                  id: artifact.artifactId,
                  ...(artifact.versionId !== undefined && { version: artifact.versionId }),
                },
              })
            }
          >
            {words.talk.openArtifact}: {artifact.title ?? artifact.artifactId}
          </Button>
          {artifact.diffRef !== undefined && <Diff refName={artifact.diffRef} />}
        </div>
      )}
    </>
  )
}

function Diff({ refName }: { refName: string }) {
  const words = useWords()
  const { read } = useReach()
  const [text, setText] = useState<string>()
  const [why, setWhy] = useState<string>()
  const open = async () => {
    const reply = await read(refName)
    if (reply.ok) setText(new TextDecoder().decode(reply.result))
    else setWhy(reply.refusal.message)
  }
  if (text !== undefined) return <DiffText text={text} />
  return (
    <>
      <Button look="bare" onClick={() => void open()}>
        {words.talk.openDiff}
      </Button>
      {why !== undefined && (
        <p role="alert" className="text-bad meta">
          {words.talk.notReadable}: {why}
        </p>
      )}
    </>
  )
}
