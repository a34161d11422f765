import {
  type InputPartView,
  type MessageRow,
  type ProcessRow,
  sendingSteer,
  type TextView,
} from "@factum/agent-ui"
import { memo, useState } from "react"
import { useReach } from "../client/page.ts"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Copy } from "../ui/Copy.tsx"
import { Markdown } from "../ui/Markdown.tsx"
import { bytes as size } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { ByteImage, imageOf } from "./ByteImage.tsx"
import type { SurfaceProps } from "./props.ts"

export const readRow = ({ text }: MessageRow): string =>
  text.map(({ blocks }) => blocks.join("")).join("\n\n")

/** What a person said: text as it was written, and what came with it. */
export const UserMessage = memo(function UserMessage({
  row,
  isNamed = false,
  link,
}: {
  row: MessageRow
  /** The page's address names it. */
  isNamed?: boolean
  link?: (() => string) | undefined
}) {
  const words = useWords()
  return (
    <div
      className="group bg-raised data-named:outline-accent relative mt-6 ml-auto w-fit max-w-[85%] rounded-lg px-3 py-2 data-named:outline-2"
      data-message={row.messageId}
      data-named={isNamed || undefined}
    >
      {link && (
        <span className="absolute top-1.5 right-full mr-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <Copy text={link} name={words.link} label={words.talk.copyMessageLink} />
        </span>
      )}
      <div data-role="user" className="plain-text">
        {readRow(row)}
      </div>
      <Attachments inputs={row.inputs} />
      {row.optimistic && (
        <p className="meta mt-1 flex items-center gap-1.5" data-role="sending">
          <State state="waiting" quiet />
          {words.talk.sending}
        </p>
      )}
      {row.retracted && <p className="meta">{words.talk.retracted}</p>}
    </div>
  )
})

/** What a person said into a run that was under way: told from a message, which begins a turn of its own. */
export const Steered = memo(function Steered({ row }: { row: ProcessRow }) {
  const { talk } = useWords()
  const isSent = row.status === sendingSteer
  return (
    <div
      className="bg-raised border-accent my-3 ml-auto w-fit max-w-[85%] rounded-lg border-l-2 px-3 py-2"
      data-row="steer"
      data-steered={isSent ? "sending" : "told"}
    >
      <p className="meta flex items-center gap-1.5" data-role="steer-marker">
        <State state={isSent ? "waiting" : "done"} quiet />
        {talk.steered}
        {isSent && ` · ${talk.sending}`}
      </p>
      <div data-role="steered" className="plain-text">
        {row.note}
      </div>
    </div>
  )
})

export function Attachments({ inputs }: { inputs: readonly InputPartView[] }) {
  const others = inputs.filter((input) => input.kind !== "text")
  if (others.length === 0) return null
  return (
    <ul className="mt-1 flex flex-wrap gap-1.5">
      {others.map((input, at) => (
        <li key={at}>
          <Attachment input={input} />
        </li>
      ))}
    </ul>
  )
}

function Attachment({ input }: { input: Exclude<InputPartView, { kind: "text" }> }) {
  const words = useWords()
  const { read } = useReach()
  const [bytes, setBytes] = useState<Uint8Array<ArrayBuffer>>()
  const name = ("name" in input && input.name) || ("label" in input && input.label) || input.ref
  const kind = bytes && imageOf("mediaType" in input ? input.mediaType : undefined, bytes)
  const open = async () => {
    const reply = await read(input.ref)
    if (reply.ok) setBytes(reply.result)
  }
  return (
    <span data-attachment={input.ref}>
      <button
        type="button"
        disabled={input.kind !== "image" || bytes !== undefined}
        onClick={() => void open()}
        className="border-line bg-page meta inline-flex max-w-60 items-center gap-1.5 rounded-md border px-2 py-0.5 enabled:hover:border-edge"
      >
        <span>{wordOf(words.talk.attachmentKinds, input.kind)}</span>
        <span className="text-ink truncate">{name}</span>
        {"bytes" in input && input.bytes !== undefined && <span>{size(input.bytes)}</span>}
      </button>
      {bytes !== undefined && kind !== undefined && <ByteImage bytes={bytes} type={kind} name={name} />}
    </span>
  )
}

/** One part of an answer. A block of it that did not change is not drawn again. */
export const AnswerText = memo(function AnswerText({ part }: { part: TextView }) {
  const words = useWords()
  const note =
    part.marker === "corrected"
      ? words.talk.corrected
      : part.marker === "replaced"
        ? words.talk.replaced
        : undefined
  return (
    <>
      <div data-part="text" data-streaming={part.state === "streaming" || undefined}>
        <Markdown text={part.blocks.join("")} />
      </div>
      {note !== undefined && <p className="meta">{note}</p>}
    </>
  )
})

/** What an answer leads to: artifacts and evidence, which are shown elsewhere. */
export function Links({ row, onIntent }: { row: MessageRow } & Pick<SurfaceProps<unknown>, "onIntent">) {
  const words = useWords()
  if (row.cards.length + row.citations.length === 0) return null
  return (
    <p className="mt-2 flex flex-wrap gap-1.5">
      {row.cards.map(({ artifactId, title, state, versionId }) => (
        <button
          key={artifactId}
          type="button"
          data-artifact={artifactId}
          className="border-line hover:border-edge inline-flex items-center gap-1.5 rounded-md border px-2 py-1 text-[13px]"
          onClick={() =>
            onIntent({
              control: "open_detail",
              target: {
                kind: "artifact",
                id: artifactId,
                ...(versionId !== undefined && { version: versionId }),
              },
            })
          }
        >
          {state !== "ready" && <State state={state} quiet />}
          {title ?? artifactId}
        </button>
      ))}
      {row.citations.map(({ evidenceId, verdict }) => (
        <button
          key={evidenceId}
          type="button"
          data-evidence={evidenceId}
          className="meta hover:text-ink underline"
          onClick={() => onIntent({ control: "open_detail", target: { kind: "evidence", id: evidenceId } })}
        >
          {verdict === undefined ? words.talk.evidence : words.talk.verdictOf(verdict)}
        </button>
      ))}
    </p>
  )
}

export function CopyAnswer({ rows }: { rows: readonly MessageRow[] }) {
  const words = useWords()
  return <Copy text={() => rows.map(readRow).join("\n\n")} label={words.talk.copyAnswer} />
}
