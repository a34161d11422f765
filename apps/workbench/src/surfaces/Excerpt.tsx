import type { OutputPreview } from "@factum/agent-ui"
import { useState } from "react"
import { useReach } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Ansi } from "../ui/Ansi.tsx"
import { bytes as sizeOf } from "../ui/measures.ts"
import { saveFile } from "./artifact/body.ts"
import { ByteImage, imageOf } from "./ByteImage.tsx"
import { tableOf } from "./table-of.ts"

const most = 200_000

/** A piece of input or output as it is known; the whole of it is fetched only when it is asked for. */
export function Excerpt({ name, preview, refs = [] }: Props) {
  const words = useWords()
  const { read } = useReach()
  const [whole, setWhole] = useState<Whole>({ state: "unasked" })
  const [ref] = refs
  const cut = preview?.truncated === true || preview === undefined
  const size = preview?.bytes
  const fetchWhole = async () => {
    if (ref === undefined) return
    setWhole({ state: "reading" })
    const reply = await read(ref)
    setWhole(
      reply.ok ? { state: "read", bytes: reply.result } : { state: "failed", why: reply.refusal.message },
    )
  }
  const partly =
    cut && preview !== undefined && whole.state !== "read"
      ? ` · ${size === undefined ? words.talk.partShown : words.talk.partShownOf(sizeOf(size))}`
      : ""
  return (
    <div className="mt-1" data-excerpt={name}>
      <p className="meta">
        {name}
        {partly}
      </p>
      {whole.state === "read" ? (
        <Bytes bytes={whole.bytes} type={preview?.mediaType} name={name} />
      ) : (
        preview !== undefined && <Shown text={preview.text} type={preview.mediaType} />
      )}
      {cut && ref !== undefined && whole.state !== "read" && (
        <button
          type="button"
          className="text-accent meta hover:underline"
          disabled={whole.state === "reading"}
          onClick={() => void fetchWhole()}
        >
          {whole.state === "reading" ? words.talk.reading : words.talk.whole}
        </button>
      )}
      {whole.state === "failed" && (
        <p role="alert" className="text-bad meta">
          {words.talk.notReadable}: {whole.why}
        </p>
      )}
    </div>
  )
}

type Props = { name: string; preview?: OutputPreview | undefined; refs?: readonly string[] }
type Whole =
  | { state: "unasked" | "reading" }
  | { state: "read"; bytes: Uint8Array<ArrayBuffer> }
  | { state: "failed"; why: string }

function Bytes({
  bytes,
  type,
  name,
}: {
  bytes: Uint8Array<ArrayBuffer>
  type?: string | undefined
  name: string
}) {
  const { talk } = useWords()
  const kind = imageOf(type, bytes)
  if (kind !== undefined) return <ByteImage bytes={bytes} type={kind} name={name} />
  const isCut = bytes.length > most
  // A character at the cut is left out rather than shown as a broken one.
  const text = new TextDecoder().decode(bytes.subarray(0, most), { stream: isCut })
  return (
    <>
      {isCut && (
        <Cut
          said={talk.firstShown(sizeOf(most), sizeOf(bytes.length))}
          act={talk.saveAll}
          onAct={() => saveFile(`${name}.txt`, "text/plain", bytes)}
        />
      )}
      <Shown text={text} type={type} />
    </>
  )
}

/** What is left out is said, with the way to it. */
function Cut({ said, act, onAct }: { said: string; act: string; onAct: () => void }) {
  return (
    <p className="meta flex flex-wrap gap-x-2" data-cut>
      {said}
      <button type="button" className="text-accent hover:underline" onClick={onAct}>
        {act}
      </button>
    </p>
  )
}

/** Rows as a table, anything else as a terminal shows it. */
export function Shown({ text, type }: { text: string; type?: string | undefined }) {
  const words = useWords()
  const [isPlain, setPlain] = useState(false)
  const table = isPlain ? undefined : tableOf(text, type)
  if (table !== undefined) {
    const { length } = table.rows
    return (
      <>
        {table.count > length && (
          <Cut
            said={words.talk.rowsShown(length, table.count)}
            act={words.talk.asText}
            onAct={() => setPlain(true)}
          />
        )}
        <div className="thin-scroll max-h-72 overflow-auto">
          <table className="border-line mt-1 border-collapse border text-[13px]">
            <thead>
              <tr>
                {table.head.map((cell) => (
                  <th key={cell} className="border-line bg-raised border px-2 py-0.5 text-left font-medium">
                    {cell}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={table.head[column]} className="border-line border px-2 py-0.5 align-top">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </>
    )
  }
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="plain-text thin-scroll max-h-72 overflow-auto font-mono text-[13px] leading-5"
    >
      {text === "" ? words.talk.nothing : <Ansi text={text} />}
    </pre>
  )
}
