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

/** What of a terminal's text is left to be seen; colours stay. */
export const visible = (text: string): string =>
  text.split("\n").map(lastState).join("\n").replace(unseen, "")

/** A line that was overwritten with carriage returns reads as its last state. */
function lastState(line: string): string {
  let end = line.length
  while (line[end - 1] === "\r") end--
  return end === 0 ? "" : line.slice(line.lastIndexOf("\r", end - 1) + 1, end)
}
