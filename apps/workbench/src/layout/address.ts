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
export type Place = {
  session?: string
  pane?: Pane
  item?: string
  /** A message or turn of the conversation. */
  at?: string
  /** What an address names that this page does not have. */
  lost?: string
}

/** Before the name of a message or turn. */
const talk = "at"
const part = "[\\w.:@-]+"
const form = new RegExp(`^#/s/(${part})(?:/(\\w+)(?:/(.+))?)?$`)

export function placeOf(hash: string): Place {
  const [, session, pane = "", item] = form.exec(hash) ?? []
  if (session === undefined) return {}
  if (pane === talk && item !== undefined) return { session, at: decoded(item) }
  if (!isPane(pane)) return { session, ...(pane === "" ? {} : { lost: pane }) }
  return { session, pane, ...(item === undefined ? {} : { item: decoded(item) }) }
}

export function addressOf({ session, pane, item, at }: Place): string {
  if (session === undefined) return "#/"
  const rest = pane !== undefined ? [pane, item] : at !== undefined ? [talk, at] : []
  const parts = [session, ...rest.filter((part) => part !== undefined)]
  return `#/s/${parts.map(encodeURIComponent).join("/")}`
}

/** The whole address, to be sent to somebody. */
export const linkTo = (place: Place): string => new URL(addressOf(place), location.href).href

/** What somebody typed may be no valid encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
