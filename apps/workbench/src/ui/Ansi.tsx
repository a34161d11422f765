import Anser from "anser"
import { memo, useMemo } from "react"

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

const esc = String.fromCharCode(27)
const bell = String.fromCharCode(7)
/** Titles, links and cursor moves, and every other control character but tab, line end and the start of a colour. */
const unseen = new RegExp(
  [
    `${esc}\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)`,
    `${esc}\\[[0-9;?]*[A-LN-Za-ln-z]`,
    `(?![\\t\\n${esc}])\\p{Cc}`,
  ].join("|"),
  "gu",
)

/** A line that was overwritten with carriage returns reads as its last state. */
const visible = (text: string): string => text.replace(/[^\n]*\r(?!\n)(?=[^\n])/g, "").replace(unseen, "")
