import { memo, useRef } from "react"
import { useWords } from "../i18n/words.ts"
import { Copy } from "./Copy.tsx"
import { type Block, blocksOf, type Definition, definitionsFor } from "./markdown.ts"
import { htmlOf } from "./sanitize.ts"

/** Markdown in blocks: a block that did not change is not read, cleaned or drawn again. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const before = useRef<readonly Block[]>([])
  const blocks = blocksOf(text, before.current)
  before.current = blocks
  const definitions = definitionsFor(blocks)
  return (
    <div className="prose">
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} definitions={definitions[at] ?? []} />
      ))}
    </div>
  )
})

const BlockView = memo(
  function BlockView({ block, definitions }: BlockProps) {
    if (block.kind === "code") return <Code text={block.text ?? ""} language={block.language} />
    return <Html raw={block.raw} definitions={definitions} />
  },
  (a, b) => a.block.raw === b.block.raw && sameDefinitions(a.definitions, b.definitions),
)

type BlockProps = { block: Block; definitions: readonly Definition[] }
const sameDefinitions = (a: readonly Definition[], b: readonly Definition[]) =>
  a.length === b.length && a.every(({ href, title }, at) => href === b[at]?.href && title === b[at]?.title)

function Html({ raw, definitions }: { raw: string; definitions: readonly Definition[] }) {
  const { imageNotLoaded } = useWords()
  return <div dangerouslySetInnerHTML={{ __html: htmlOf(raw, imageNotLoaded, definitions) }} />
}

export function Code({ text, language }: { text: string; language?: string | undefined }) {
  return (
    <figure className="code-block">
      <figcaption className="meta flex items-center justify-between px-3 pt-1">
        <span>{language ?? ""}</span>
        <Copy text={text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} className="thin-scroll overflow-x-auto px-3 pb-2 font-mono text-[13px]">
        <code>{text}</code>
      </pre>
    </figure>
  )
}
