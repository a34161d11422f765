import { useState } from "react"
import { useWords } from "../../i18n/words.ts"
import { Button } from "../../ui/Button.tsx"
import { Fallback } from "../../ui/Fallback.tsx"
import { textIn, useBody } from "./body.ts"
import { NotRead } from "./Preview.tsx"

const looks: Readonly<Record<string, string>> = {
  "+": "bg-[light-dark(#e4f5e9,#14301d)]",
  "-": "bg-[light-dark(#fbe9e7,#3a1a18)]",
  "@": "text-meta",
}

const mostDrawn = 5000

/** A diff as its owner wrote it, read when it is opened. */
export function DiffText({ reference }: { reference: string }) {
  const { space } = useWords()
  const body = useBody(reference, true)
  const [most, setMost] = useState(mostDrawn)
  if (body.state === "failed") return <NotRead why={body.why} />
  if (body.state !== "read") return <Fallback state="loading" title={space.reading} />
  const lines = textIn(body.bytes).split("\n")
  return (
    <>
      {lines.length > most && (
        <p className="meta flex items-center gap-2 px-3 py-1" data-cut>
          {space.linesShown(most, lines.length)}
          <Button look="bare" onClick={() => setMost(most * 4)}>
            {space.showMore}
          </Button>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} className="thin-scroll overflow-x-auto py-2 font-mono text-[13px]" data-diff="text">
        {lines.slice(0, most).map((line, at) => (
          <div key={at} className={`px-3 ${looks[line[0] ?? ""] ?? ""}`}>
            {line === "" ? " " : line}
          </div>
        ))}
      </pre>
    </>
  )
}
