import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { State } from "./State.tsx"
import { stateWord } from "./status.ts"

/** An owner's status: the shape that it has everywhere, and the owner's own word for it. */
export function Status({ status, quiet = false }: { status: string; quiet?: boolean }) {
  const { catalog } = useWords()
  const said = status === "unknown" ? catalog.state.unknown : wordOf(catalog.status, status)
  return <State state={stateWord(status)} said={said} quiet={quiet} />
}
