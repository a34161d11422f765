const looks: Readonly<Record<string, string>> = {
  "+": "diff-added",
  "-": "diff-removed",
  "@": "text-meta",
}

/** A unified diff; a sign at the beginning of each line says what the colour says. */
export function DiffText({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      data-diff
      className="border-line thin-scroll mt-1 max-h-80 overflow-auto rounded-md border font-mono text-[13px] leading-5"
    >
      {text.split("\n").map((line, at) => (
        <span key={at} className={`block px-2 ${looks[line.charAt(0)] ?? ""}`}>
          {line || " "}
        </span>
      ))}
    </pre>
  )
}
