import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { EditorState } from "@codemirror/state"
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { grammar, look, shadowIn } from "./code-mirror.ts"
import type { Language } from "./kinds.ts"

type Props = {
  label: string
  text: string
  language: Language
  onChange: (text: string) => void
  onSave: () => void
}

/** A text editor. Tab leaves it, so that nobody is caught in it; the save key saves. */
export default function Editor({ label, text, language, onChange, onSave }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const told = useRef({ onChange, onSave })
  told.current = { onChange, onSave }
  const first = useRef(text)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const { root, parent } = shadowIn(element)
    const save = () => {
      told.current.onSave()
      return true
    }
    const view = new EditorView({
      root,
      parent,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          highlightActiveLine(),
          history(),
          keymap.of([{ key: "Mod-s", run: save, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
          grammar(language),
          look(label),
          EditorView.updateListener.of(
            ({ docChanged, state }) => docChanged && told.current.onChange(state.doc.toString()),
          ),
        ],
      }),
    })
    view.focus()
    return () => view.destroy()
  }, [label, language])
  return <div ref={place} data-editor className="min-h-40" />
}
