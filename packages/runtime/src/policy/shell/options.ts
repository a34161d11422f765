import type { ShellWord } from "./types.ts"

/** The options of a command that starts another one, as far as they are needed to find that one. */
export type WrapperForm = {
  /** Short options without and with a value. */
  flags?: string
  takes?: string
  /** Long options without and with a value. */
  long?: readonly string[]
  longTakes?: readonly string[]
  /** Words before the command, such as the duration of `timeout`. */
  skips?: number
  assigns?: boolean
}

/**
 * Where the inner command begins: its index, the number of words when there is none, or undefined when an option is
 * not known and the place cannot be told.
 */
export function innerStart(words: readonly ShellWord[], form: WrapperForm): number | undefined {
  let at = 1
  let skips = form.skips ?? 0
  for (; at < words.length; at++) {
    const value = words[at]?.value
    if (value === undefined || words[at]?.glob) return undefined
    if (value === "--") {
      at++
      break
    }
    if (value.startsWith("--")) {
      const [name = "", given] = value.slice(2).split("=", 2)
      if (form.longTakes?.includes(name)) {
        if (given === undefined) at++
      } else if (!form.long?.includes(name)) return undefined
      continue
    }
    if (value.startsWith("-") && value.length > 1) {
      const step = shortOptions(value.slice(1), form)
      if (step === undefined) return undefined
      at += step
      continue
    }
    if (form.assigns && isAssign(words[at])) continue
    break
  }
  while (form.assigns && isAssign(words[at])) at++
  for (; skips > 0; skips--) at++
  return Math.min(at, words.length)
}

/** Any name at all, such as that under which bash takes a function from outside. */
export const isAssign = (word: ShellWord | undefined): boolean =>
  word?.glob !== true && /^[^=]+=/.test(word?.value ?? "")

/** How many more words the cluster takes, or undefined for a letter that is not known. */
function shortOptions(letters: string, form: WrapperForm): number | undefined {
  for (let i = 0; i < letters.length; i++) {
    const letter = letters[i] ?? ""
    if (form.takes?.includes(letter)) return i === letters.length - 1 ? 1 : 0
    if (!form.flags?.includes(letter)) return undefined
  }
  return 0
}

export const envForm: WrapperForm = {
  flags: "i0v",
  takes: "uC",
  long: ["ignore-environment", "null", "debug"],
  longTakes: ["unset", "chdir"],
  assigns: true,
}

export const wrapperForms: Readonly<Record<string, WrapperForm>> = {
  nohup: {},
  setsid: { flags: "cfw" },
  time: { flags: "pvV", takes: "f" },
  nice: { flags: "0123456789", takes: "n", longTakes: ["adjustment"] },
  ionice: { flags: "t", takes: "cn" },
  timeout: {
    flags: "fpv",
    takes: "ks",
    long: ["preserve-status", "foreground", "verbose"],
    longTakes: ["kill-after", "signal"],
    skips: 1,
  },
  stdbuf: { takes: "ioe", longTakes: ["input", "output", "error"] },
  command: { flags: "p" },
  builtin: {},
  exec: { flags: "cl", takes: "a" },
  busybox: {},
  toybox: {},
  noglob: {},
  nocorrect: {},
  "-": {},
}

/** Wrappers that also give rights: what they run is judged, and so are they. */
export const strongForms: Readonly<Record<string, WrapperForm>> = {
  sudo: {
    flags: "AbBEHiKklNnPSsVv",
    takes: "CDghpRrtTUu",
    long: ["askpass", "background", "preserve-env", "set-home", "login", "non-interactive", "stdin", "shell"],
    longTakes: ["user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "close-from"],
    assigns: true,
  },
  doas: { flags: "Lns", takes: "Cu" },
}

export const xargsForm: WrapperForm = {
  flags: "0oprtx",
  takes: "adEILnPs",
  // The value of the last two is attached or missing.
  long: ["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty", "max-lines", "replace"],
  longTakes: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars"],
}
