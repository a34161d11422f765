const longestTag = 4_096
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
}

const skipped: ReadonlySet<string> = new Set(["script", "style", "noscript", "svg", "template", "iframe"])
const apart = /^(?:p|ul|ol|table|pre|blockquote|header|footer|nav|main|head)$/
const broken = /^(?:br|tr|div|section|article)$/

/** The readable text of a page: title, headings, paragraphs, list items, links with their addresses. */
export function textOfHtml(html: string): string {
  let title = ""
  let text = ""
  let link = ""
  for (const { words, tag, closes, attributes } of pieces(html)) {
    if (tag === "title" && closes) title = words
    else text += words
    if (tag === "a") {
      if (closes && link !== "") text += ` (${link})`
      link = closes ? "" : (/\bhref\s*=\s*["']?([^"'#\s>][^"'\s>]*)/i.exec(attributes)?.[1] ?? "")
    } else text += space(tag, closes)
  }
  const body = unescaped(text)
    .replace(/[ \t\r]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
  const heading = unescaped(title).replace(/\s+/g, " ").trim()
  return heading === "" ? body : `${heading}\n\n${body}`.trim()
}

function space(tag: string, closes: boolean): string {
  if (/^h[1-6]$/.test(tag)) return closes ? "\n\n" : `\n\n${"#".repeat(Number(tag[1]))} `
  if (tag === "li") return closes ? "" : "\n- "
  if (apart.test(tag)) return "\n\n"
  if (broken.test(tag)) return closes || tag === "br" ? "\n" : ""
  return closes && (tag === "td" || tag === "th") ? "\t" : ""
}

type Piece = { words: string; tag: string; closes: boolean; attributes: string }

/** Words and the tag after them. One pass, whatever the page holds: each place is looked at once. */
function* pieces(html: string): Generator<Piece, void> {
  const lower = html.toLowerCase()
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf("<", at)
    if (start < 0) return yield { words: html.slice(at), tag: "", closes: false, attributes: "" }
    const words = html.slice(at, start)
    const isComment = html.startsWith("<!--", start)
    const end = isComment ? html.indexOf("-->", start + 4) : html.indexOf(">", start)
    if (end < 0) return yield { words, tag: "", closes: false, attributes: "" }
    const closes = html[start + 1] === "/"
    const inner = html.slice(start + (closes ? 2 : 1), end)
    const tag = isComment ? "" : (/^[a-z][a-z0-9]*/i.exec(inner)?.[0].toLowerCase() ?? "")
    yield { words, tag, closes, attributes: tag === "a" ? inner.slice(0, longestTag) : "" }
    at = end + (isComment ? 3 : 1)
    if (closes || !skipped.has(tag)) continue
    const closing = lower.indexOf(`</${tag}`, at)
    if (closing < 0) return
    at = closing
  }
}

function unescaped(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(String(hexadecimal), 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : whole
    },
  )
}
