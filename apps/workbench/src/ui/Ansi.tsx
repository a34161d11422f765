import Anser from "anser"
import { memo, useMemo } from "react"
import { visible } from "./visible.ts"

/** What a terminal shows: colours become classes, everything else that a sequence could do is dropped. */
export const Ansi = memo(function Ansi({ text }: { text: string }) {
  const pieces = useMemo(
    () => Anser.ansiToJson(visible(text), { use_classes: true, remove_empty: true }),
    [text],
  )
  return (
    <>
      {pieces.map(({ content, fg, bg, decorations }, at) => (
        <span
          key={at}
          className={[fg, bg && `on-${bg}`, ...decorations.map((one) => `ansi-${one}`)]
            .filter(Boolean)
            .join(" ")}
        >
          {content}
        </span>
      ))}
    </>
  )
})
