/** Text in which backticks set off code, as people write it in a line. */
export function Ticked({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((piece, at) =>
    at % 2 === 1 ? (
      <code key={at} className="bg-raised rounded px-1 font-mono text-[13px]">
        {piece}
      </code>
    ) : (
      piece
    ),
  )
}
