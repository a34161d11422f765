export const previewKinds = ["markdown", "html", "image", "table", "code", "text", "bytes"] as const
export type PreviewKind = (typeof previewKinds)[number]

const byType: readonly (readonly [RegExp, PreviewKind])[] = [
  [/^text\/(?:x-)?markdown/, "markdown"],
  [/^(?:text\/html|application\/xhtml)/, "html"],
  [/^image\//, "image"],
  [/^text\/(?:csv|tab-separated-values)/, "table"],
  [/^(?:text\/(?:x-|javascript|css)|application\/(?:json|javascript|typescript|xml|yaml|x-))/, "code"],
  [/^text\//, "text"],
  [/./, "bytes"],
]
const byEnding: Readonly<Record<string, PreviewKind>> = {
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  png: "image",
  jpg: "image",
  jpeg: "image",
  gif: "image",
  webp: "image",
  avif: "image",
  svg: "image",
  csv: "table",
  tsv: "table",
  ts: "code",
  tsx: "code",
  js: "code",
  jsx: "code",
  mjs: "code",
  json: "code",
  css: "code",
  py: "code",
  rs: "code",
  go: "code",
  sh: "code",
  sql: "code",
  yaml: "code",
  yml: "code",
  txt: "text",
}
const bySaid: Readonly<Record<string, PreviewKind>> = {
  document: "markdown",
  page: "html",
  table: "table",
  picture: "image",
  image: "image",
  code: "code",
  text: "text",
}

/** How the bytes of an artifact are shown: by what its owner says they are, else by the end of its name. */
export function previewKind(said: { mediaType?: string; title: string; kind: string }): PreviewKind {
  const { mediaType, title, kind } = said
  if (mediaType !== undefined) return byType.find(([form]) => form.test(mediaType))?.[1] ?? "bytes"
  const ending = /\.(\w+)$/.exec(title)?.[1]?.toLowerCase() ?? ""
  return byEnding[ending] ?? bySaid[kind] ?? "text"
}

/** Whether a person can change it as text. */
export const isText = (kind: PreviewKind): boolean => kind !== "image" && kind !== "bytes"

export type Language = "markdown" | "javascript" | "typescript" | "json" | "plain"

export function languageOf({ mediaType = "", title }: { mediaType?: string; title: string }): Language {
  const name = `${mediaType} .${/\.(\w+)$/.exec(title)?.[1]?.toLowerCase() ?? ""}`
  if (/markdown|\.md\b/.test(name)) return "markdown"
  if (/json/.test(name)) return "json"
  if (/typescript|\.tsx?\b/.test(name)) return "typescript"
  return /javascript|\.(?:jsx?|mjs)\b/.test(name) ? "javascript" : "plain"
}
