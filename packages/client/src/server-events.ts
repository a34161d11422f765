export type ServerEvent = { id: string; data: string }

/** Reads server-sent events from text that may be cut anywhere. */
export function createEventParser(): (chunk: string) => ServerEvent[] {
  let rest = ""
  let id = ""
  let data: string[] = []
  return (chunk) => {
    rest += chunk
    const events: ServerEvent[] = []
    // A trailing CR may be half of a CRLF: it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) events.push({ id, data: data.join("\n") })
        data = []
        continue
      }
      const colon = line.indexOf(":")
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
      if (field === "data") data.push(value)
      if (field === "id") id = value
    }
    return events
  }
}
