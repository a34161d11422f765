import { memo } from "react"
import { blocksOf } from "../client/blocks.ts"
import type { Part, RequestView } from "../client/conversation.ts"
import { useWords } from "../i18n/words.ts"

type Props = {
  request: RequestView
  isLast: boolean
  /** The keys of the proposed calls that were opened, each on its line: those are shown as what they became. */
  opened: string
}

/** What the model gave in one request, part by part in its own order. */
export const Output = memo(function Output({ request, isLast, opened }: Props) {
  const words = useWords()
  const { failure, finish } = request
  const became = new Set(opened.split("\n"))
  const parts = request.parts.filter(({ key }) => !became.has(key))
  const note = finish === undefined ? undefined : words.finishes[finish]
  return (
    <>
      {parts.map((part) => (
        <OutputPart key={part.key} part={part} />
      ))}
      {failure !== undefined && parts.length > 0 && (
        <p
          className="meta border-edge mt-2 w-fit border-t border-dashed pt-1"
          data-partial={failure.category}
        >
          {words.partial}
          {/* The end of the turn tells the cause of the last one. */}
          {!isLast && ` · ${words.causes[failure.category] ?? failure.category}`}
        </p>
      )}
      {note !== undefined && <p className="meta mt-2">{note}</p>}
    </>
  )
})

const OutputPart = memo(function OutputPart({ part }: { part: Part }) {
  const words = useWords()
  const mono = part.kind === "structured" || part.kind === "tool_call" ? "font-mono text-[13px]" : ""
  if (part.kind === "text" || part.kind === "structured") {
    return (
      <>
        <div data-part={part.kind} className={`plain-text mt-3 ${mono}`}>
          <Blocks text={part.text} />
        </div>
        {part.corrected && <p className="meta mt-1">{words.corrected}</p>}
      </>
    )
  }
  const title =
    part.kind === "reasoning" ? words.reasoning : words.toolCall(part.tool ?? words.states.unknown)
  return (
    <details data-part={part.kind} className="mt-3">
      <summary className="meta hover:text-ink w-fit cursor-pointer">{title}</summary>
      <div className={`plain-text border-line text-meta mt-1 border-l-2 pl-3 ${mono}`}>
        <Blocks text={part.text} />
      </div>
    </details>
  )
})

/** A line end at the end of a block draws nothing, so the text of the blocks together is the text itself. */
function Blocks({ text }: { text: string }) {
  return blocksOf(text).map((block, at) => <Block key={at} text={block} />)
}

const Block = memo(function Block({ text }: { text: string }) {
  return <div>{text}</div>
})
