import { useWords } from "../../i18n/words.ts"
import { Fallback } from "../../ui/Fallback.tsx"
import { textIn, useBody } from "./body.ts"
import { NotRead } from "./Preview.tsx"

const looks: Readonly<Record<string, string>> = {
  "+": "bg-[light-dark(#e4f5e9,#14301d)]",
  "-": "bg-[light-dark(#fbe9e7,#3a1a18)]",
  "@": "text-meta",
}

/** A diff as its owner wrote it, read when it is opened. */
export function DiffText({ reference }: { reference: string }) {
  const { space } = useWords()
  const body = useBody(reference, true)
  if (body.state === "failed") return <NotRead why={body.why} />
  if (body.state !== "read") return <Fallback state="loading" title={space.reading} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <pre tabIndex={0} className="thin-scroll overflow-x-auto py-2 font-mono text-[13px]" data-diff="text">
      {textIn(body.bytes)
        .split("\n")
        .slice(0, 5000)
        .map((line, at) => (
          <div key={at} className={`px-3 ${looks[line[0] ?? ""] ?? ""}`}>
            {line === "" ? " " : line}
          </div>
        ))}
    </pre>
  )
}
