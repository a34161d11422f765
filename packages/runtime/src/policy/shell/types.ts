/** One word of a command. `value` is what it stands for; without it, only running the command would tell. */
export type ShellWord = {
  text: string
  value?: string
  /** A file pattern with known letters: it stands for the files that exist. */
  glob?: true
}

/** A command with nothing inside it that is judged elsewhere. */
export type SimpleCommand = {
  /** As it was written, or as a wrapper runs it. */
  text: string
  words: readonly ShellWord[]
  /** The same command without options that only say where it runs (`git -C dir push`). */
  plain?: readonly ShellWord[]
  assigns: readonly ShellAssign[]
  /** It only starts the commands that follow in the list, so it needs no permission of its own. */
  wrapper: boolean
  /** Known to look and touch nothing; the files it looks at are among the uses. */
  harmless: boolean
  /** Why what it runs cannot be seen. */
  opaque?: string
}

export type ShellAssign = { name: string; value?: string }

/** A file that a command names. `mention`: it may read or write it, or it is no file at all. */
export type FileUse = {
  kind: "read" | "write" | "mention"
  word: ShellWord
  /** Where a relative name may begin; empty when that is not known. */
  cwds: readonly string[]
  /** Of a folder everything below it is looked at, too; or nobody knows what, because links are followed. */
  folders?: "below" | "unknown"
  /** It is where git looks for its repository; with `content` all of that is looked at. */
  git?: { content: boolean }
  /** The command whose argument it is; a redirection has none. */
  of?: SimpleCommand
}

export type Split = {
  commands: readonly SimpleCommand[]
  files: readonly FileUse[]
  /** What could not be understood; the lists then hold what was. */
  problems: readonly string[]
}

export const unknownWord = (text: string): ShellWord => ({ text })
export const literal = (value: string): ShellWord => ({ text: value, value })
