import { javascript } from "@codemirror/lang-javascript"
import { json } from "@codemirror/lang-json"
import { markdown } from "@codemirror/lang-markdown"
import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import type { Language } from "./kinds.ts"

/**
 * Where an editor is put. Outside of a shadow tree it would write a style element, which the page's policy forbids;
 * inside of one it uses sheets that it makes itself.
 */
export function shadowIn(element: HTMLElement): { root: ShadowRoot; parent: HTMLElement } {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" })
  const parent = document.createElement("div")
  root.replaceChildren(parent)
  return { root, parent }
}

const quiet = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => ("color" in spec ? { ...spec, color: "inherit" } : spec)),
)

const theme = EditorView.theme({
  "&": { color: "var(--c-text)", backgroundColor: "var(--c-page)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--c-accent)", outlineOffset: "-2px" },
  ".cm-scroller": {
    fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
    lineHeight: "20px",
  },
  ".cm-content": { caretColor: "var(--c-text)", padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "var(--c-raised)", color: "var(--c-meta)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--c-raised)" },
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "light-dark(#e4f5e9, #14301d) !important" },
  ".cm-deletedChunk, .cm-deletedLine": { backgroundColor: "light-dark(#fbe9e7, #3a1a18) !important" },
  ".cm-changedText, .cm-insertedLine .cm-changedText": {
    background: "light-dark(#bfe8cb, #22572f) !important",
  },
  ".cm-deletedText": { background: "light-dark(#f6c9c4, #6b2a26) !important" },
  ".cm-collapsedLines": {
    background: "var(--c-raised) !important",
    color: "var(--c-meta) !important",
    padding: "2px 8px",
  },
})

export const look = (label: string): Extension => [
  theme,
  syntaxHighlighting(quiet),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": label }),
]

export function grammar(language: Language): Extension {
  switch (language) {
    case "markdown":
      return markdown()
    case "json":
      return json()
    case "javascript":
    case "typescript":
      return javascript({ jsx: true, typescript: language === "typescript" })
    case "plain":
      return []
  }
}
