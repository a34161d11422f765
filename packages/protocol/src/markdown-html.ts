/** The seven kinds of HTML that CommonMark takes as a block of its own: how one begins, and what ends it. */
const kinds: readonly { begins: RegExp; ends?: RegExp }[] = [
  { begins: /^<(?:script|pre|style|textarea)(?:\s|>|$)/i, ends: /<\/(?:script|pre|style|textarea)>/i },
  { begins: /^<!--/, ends: /-->/ },
  { begins: /^<\?/, ends: /\?>/ },
  { begins: /^<![A-Za-z]/, ends: />/ },
  { begins: /^<!\[CDATA\[/, ends: /\]\]>/ },
  { begins: new RegExp(`^</?(?:${elements().join("|")})(?:\\s|/?>|$)`, "i") },
  {
    begins:
      /^(?:<[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:[^"'=<>`\0-\x20]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z0-9-]*\s*>)\s*$/i,
  },
]
/** An element of any other name does not break into a paragraph. */
const anyElement = kinds.length - 1

/** Which kind of HTML block a line begins, if any. */
export function htmlKind(rest: string, inParagraph: boolean): number | undefined {
  const found = kinds.findIndex(({ begins }) => begins.test(rest))
  return found < 0 || (found === anyElement && inParagraph) ? undefined : found
}

/** Whether the kind ends with a line; those without a mark of their own end at a blank one. */
export const endsHtml = (kind: number, line: string): boolean => kinds[kind]?.ends?.test(line) === true
export const endsAtBlank = (kind: number): boolean => kinds[kind]?.ends === undefined

function elements(): readonly string[] {
  return `address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl
    dt fieldset figcaption figure footer form frame frameset h[1-6] head header hr html iframe legend li link main menu
    menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr
    track ul`.split(/\s+/)
}
