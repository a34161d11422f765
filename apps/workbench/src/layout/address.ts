/** The panes of the workspace, each with the letter that goes to it after `g`. */
export const panes = {
  artifact: "a",
  timeline: "t",
  board: "b",
  graph: "d",
  reviews: "r",
  handoffs: "h",
  notifications: "n",
  transcript: "m",
  background: "k",
  remote: "e",
  policy: "p",
  diagnostics: "i",
} as const
export type Pane = keyof typeof panes
export const isPane = (text: string): text is Pane => Object.hasOwn(panes, text)

/** Where the page is: a session, a pane of its workspace, and one thing in it, such as an artifact or a fact. */
export type Place = { session?: string; pane?: Pane; item?: string }

const part = "[\\w.:@-]+"
const form = new RegExp(`^#/s/(${part})(?:/(\\w+)(?:/(.+))?)?$`)

export function placeOf(hash: string): Place {
  const [, session, pane = "", item] = form.exec(hash) ?? []
  if (session === undefined) return {}
  if (!isPane(pane)) return { session }
  return { session, pane, ...(item === undefined ? {} : { item: decoded(item) }) }
}

export function addressOf({ session, pane, item }: Place): string {
  if (session === undefined) return "#/"
  const parts = [session, ...(pane === undefined ? [] : [pane, ...(item === undefined ? [] : [item])])]
  return `#/s/${parts.map(encodeURIComponent).join("/")}`
}

/** What somebody typed may be no valid encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
