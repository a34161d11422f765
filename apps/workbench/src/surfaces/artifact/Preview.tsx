import type { ArtifactRow } from "@factum/agent-ui"
import { memo, useMemo, useState } from "react"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"
import { Fallback } from "../../ui/Fallback.tsx"
import { Code, Markdown } from "../../ui/Markdown.tsx"
import { bytes as size } from "../../ui/measures.ts"
import { ByteImage } from "../ByteImage.tsx"
import { type Bytes, textIn, useBody } from "./body.ts"
import { Isolated } from "./Isolated.tsx"
import { isText, type PreviewKind, previewKind } from "./kinds.ts"
import { rowsOf } from "./table.ts"

type Version = ArtifactRow["versions"][number]
const mostDrawn = 400_000

/** One version as its reader sees it. What the owner gave at once is shown at once; the whole is read when asked for. */
export function Preview({ artifact, version }: { artifact: ArtifactRow; version: Version | undefined }) {
  const { space } = useWords()
  const kind = previewKind(artifact)
  const given = version === undefined || version.current ? artifact.preview : "unknown"
  const text = typeof given === "object" ? given : undefined
  const [asked, setAsked] = useState(false)
  const ref = version?.ref ?? artifact.bodyRef ?? artifact.previewRef
  const body = useBody(ref, asked || text === undefined || !isText(kind))
  if (body.state === "read") return <Shown kind={kind} bytes={body.bytes} artifact={artifact} />
  if (text !== undefined && isText(kind))
    return (
      <>
        {text.truncated === true && (
          <p className="meta border-line flex items-center gap-2 border-b px-3 py-1">
            {text.bytes === undefined ? space.part : space.partOf(size(text.bytes))}
            <Button
              look="bare"
              disabled={body.state === "reading" || ref === undefined}
              onClick={() => setAsked(true)}
            >
              {body.state === "reading" ? space.reading : space.readAll}
            </Button>
          </p>
        )}
        {body.state === "failed" && <NotRead why={body.why} />}
        <Text kind={kind} text={text.text} artifact={artifact} />
      </>
    )
  if (body.state === "failed")
    return <Fallback state="unavailable" title={space.notReadable} reason={body.why} />
  if (ref === undefined) return <Fallback state="unavailable" title={space.noBody} reason={space.noBodyWhy} />
  return <Fallback state="loading" title={space.reading} />
}

export function NotRead({ why }: { why: string }) {
  const { space } = useWords()
  return (
    <p role="alert" className="text-bad meta px-3 py-1">
      {space.because(space.notReadable, why)}
    </p>
  )
}

const imageTypes: Readonly<Record<string, string>> = { svg: "image/svg+xml", jpg: "image/jpeg" }

function Shown({ kind, bytes, artifact }: { kind: PreviewKind; bytes: Bytes; artifact: ArtifactRow }) {
  const { space } = useWords()
  const [most, setMost] = useState(mostDrawn)
  if (kind === "image") {
    const ending = /\.(\w+)$/.exec(artifact.title)?.[1]?.toLowerCase() ?? "png"
    const type = artifact.mediaType ?? imageTypes[ending] ?? `image/${ending}`
    return (
      <div className="p-3">
        <ByteImage bytes={bytes} type={type} name={artifact.title} />
      </div>
    )
  }
  if (kind === "bytes")
    return (
      <Fallback state="unavailable" title={space.noPreview} reason={space.bytesOnly(size(bytes.length))} />
    )
  return (
    <>
      {bytes.length > most && (
        <p className="meta border-line flex items-center gap-2 border-b px-3 py-1" data-cut>
          {space.firstOf(size(most), size(bytes.length))}
          <Button look="bare" onClick={() => setMost(most * 4)}>
            {space.showMore}
          </Button>
        </p>
      )}
      <Text kind={kind} text={textIn(bytes.subarray(0, most))} artifact={artifact} />
    </>
  )
}

const Text = memo(function Text({
  kind,
  text,
  artifact,
}: {
  kind: PreviewKind
  text: string
  artifact: ArtifactRow
}) {
  if (kind === "markdown")
    return (
      <div className="px-4 py-2" data-preview="markdown">
        <Markdown text={text} />
      </div>
    )
  if (kind === "html") return <Isolated html={text} name={artifact.title} />
  if (kind === "table")
    return <Table text={text} tabs={/tab-sep|\.tsv$/.test(`${artifact.mediaType}${artifact.title}`)} />
  if (kind === "code")
    return (
      <div className="px-3 py-1" data-preview="code">
        <Code text={text} language={artifact.mediaType} />
      </div>
    )
  return (
    <pre className="plain-text px-4 py-2 font-mono text-[13px]" data-preview="text">
      {text}
    </pre>
  )
})

function Table({ text, tabs }: { text: string; tabs: boolean }) {
  const { space } = useWords()
  const { rows, cut } = useMemo(() => rowsOf(text, tabs ? "\t" : ","), [text, tabs])
  const [head = [], ...rest] = rows
  return (
    <div className="p-3" data-preview="table">
      <table className="border-collapse text-[13px] tabular-nums">
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th
                key={at}
                scope="col"
                className="border-line bg-raised border px-2 py-1 text-left font-medium"
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} className="border-line border px-2 py-0.5 align-top">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cut && <p className="meta pt-1">{space.rowsCut(rows.length)}</p>}
    </div>
  )
}
