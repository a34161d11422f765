import type { ShellWord } from "./types.ts"

/** The options of a command, exactly; words of a list are divided by blanks. */
export type Options = {
  /** Short options without a value, and with one that is attached or the next word. */
  flags?: string
  takes?: string
  /** Long options whose value, if any, is attached with `=`, and those that take the next word as well. */
  long?: string
  longTakes?: string
  /** Short options stand alone, never together behind one dash. */
  single?: true
  /** After the first word nothing is an option any more, everywhere or for some versions of the command. */
  first?: true
}

/** The names of the given options, and the words that are none. */
export type Taken = { names: ReadonlySet<string>; words: readonly ShellWord[]; after: readonly ShellWord[] }

/** Undefined when a word or an option is not known: abbreviations and clusters mean what another program makes of them. */
export function takeOptions(args: readonly ShellWord[], form: Options): Taken | undefined {
  const names = new Set<string>()
  const words: ShellWord[] = []
  const after: ShellWord[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    const value = word?.value
    if (word === undefined || value === undefined) return undefined
    if (value === "--") {
      after.push(...args.slice(at + 1))
      if (after.some((one) => one.value === undefined)) return undefined
      break
    }
    if (!value.startsWith("-") || value === "-") {
      words.push(word)
      continue
    }
    const option = word.glob || (form.first && words.length > 0) ? undefined : optionOf(value, form)
    if (option === undefined) return undefined
    for (const name of option.names) names.add(name)
    if (!option.next) continue
    const next = args[++at]
    if (next?.value === undefined || next.glob) return undefined
    // Where options end at the first word, as in BSD, it is one more file.
    if (words.length > 0) words.push(next)
  }
  return { names, words: [...words, ...after], after }
}

type Option = { names: readonly string[]; next: boolean }

function optionOf(value: string, form: Options): Option | undefined {
  if (value.startsWith("--")) {
    const at = value.indexOf("=")
    const name = value.slice(2, at < 0 ? undefined : at)
    if (listed(form.longTakes, name)) return { names: [name], next: at < 0 }
    return listed(form.long, name) ? { names: [name], next: false } : undefined
  }
  const names: string[] = []
  const letters = [...value.slice(1)]
  for (const [i, letter] of letters.entries()) {
    names.push(letter)
    if (form.takes?.includes(letter)) {
      const only = i === 0 || form.single === undefined
      return only ? { names, next: i === letters.length - 1 } : undefined
    }
    if (!form.flags?.includes(letter) || (form.single && letters.length > 1)) return undefined
  }
  return { names, next: false }
}

const listed = (list: string | undefined, name: string): boolean => list?.split(" ").includes(name) ?? false
