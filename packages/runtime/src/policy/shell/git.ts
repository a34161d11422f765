import { looksAt, type Reads } from "./harmless.ts"
import type { ShellWord } from "./types.ts"

const any =
  "status log diff show rev-parse ls-files ls-tree cat-file blame annotate describe shortlog merge-base name-rev for-each-ref rev-list grep count-objects diff-tree diff-files diff-index show-ref check-ignore whatchanged var".split(
    " ",
  )
/** Commands that also change something: only these forms look. */
const forms: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-a|-r|-v|-vv|-av|-avv|--all|--remotes|--list|--show-current|--verbose| )*$/,
  tag: /^(?:(?:-l|--list|-n\d*)(?: .*)?)?$/,
  remote: /^(?:-v|--verbose|get-url(?: --all)? \S+)?$/,
  reflog: /^(?:show(?: \S+)?)?$/,
  stash: /^(?:list|show)(?: \S+)*$/,
  config: /^(?:--(?:local|global|system) )?(?:--get|--get-all|--list|-l|list|get)(?: [\w.-]+)?$/,
  worktree: /^list(?: --porcelain)?$/,
  submodule: /^status$/,
  notes: /^(?:list|show)$/,
}
const writes = /^(?:-o|-O|--out|--ext|--textconv|--open|--no-index|--exec|--filters|--contents|-S$)/

/** A command of git that looks only. Files outside are out of its reach without `-C` and `--no-index`. */
export function gitReads(args: readonly ShellWord[]): Reads | undefined {
  const folders: ShellWord[] = []
  let at = 0
  for (; at < args.length; at++) {
    const value = args[at]?.value
    if (value === "-C") {
      const folder = args[++at]
      if (folder) folders.push(folder)
    } else if (value !== "--no-pager" && value !== "-P" && value !== "--no-optional-locks") break
  }
  const command = args[at]?.value ?? ""
  const rest = args.slice(at + 1)
  if (folders.length > 1 || rest.some((word) => word.value === undefined || writes.test(word.value)))
    return undefined
  const form = Object.hasOwn(forms, command) ? forms[command] : undefined
  if (form ? !form.test(rest.map((word) => word.value).join(" ")) : !any.includes(command)) return undefined
  const files = looksAt(rest, {})
  if (files === undefined) return undefined
  return { words: folders, deep: false }
}
