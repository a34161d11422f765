import { MergeView, unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { grammar, look, shadowIn } from "./code-mirror.ts"
import type { Language } from "./kinds.ts"

type Props = { label: string; before: string; after: string; language: Language; unified: boolean }

const collapse = { margin: 3, minSize: 6 }

/** Two texts and what differs: beside each other, or one below the other where there is no room. */
export default function Diff({ label, before, after, language, unified }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const { root, parent } = shadowIn(element)
    const fixed = [
      lineNumbers(),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      grammar(language),
      look(label),
    ]
    if (unified) {
      const merged = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: collapse })
      const view = new EditorView({ root, parent, doc: after, extensions: [...fixed, merged] })
      return () => view.destroy()
    }
    const a = { doc: before, extensions: fixed }
    const b = { doc: after, extensions: fixed }
    const view = new MergeView({ root, parent, a, b, collapseUnchanged: collapse, gutter: false })
    return () => view.destroy()
  }, [label, before, after, language, unified])
  return <div ref={place} data-diff={unified ? "unified" : "split"} />
}
