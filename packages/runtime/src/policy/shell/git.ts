import { here, type Reads } from "./lookers.ts"
import { type Options, takeOptions } from "./taken.ts"
import type { ShellWord } from "./types.ts"

const shown =
  "abbrev abbrev-commit all author-date-order branches cached color column date-order decorate dirstat exit-code find-copies find-renames first-parent follow full-history function-context graph ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-space-change left-right merges minimal name-only name-status no-color no-decorate no-ext-diff no-merges no-notes no-patch no-prefix no-renames no-textconv numstat oneline parents patch patch-with-stat patience quiet raw reflog relative remotes reverse shortstat simplify-by-decoration staged stat summary tags text topo-order unified word-diff"
const chosen =
  "after author before committer date diff-algorithm diff-filter format grep max-count pretty since skip until"
/** `git log` and what shows changes like it. */
const log: Options = {
  flags: "abcEFgimpqrRstuwz0123456789",
  takes: "GLnSU",
  long: `${shown} ${chosen}`,
}
const diff: Options = { ...log, flags: "abBmMCpqrRstuwWz0123456789", takes: "GSU" }

type GitLook = Options & {
  /** It tells what stands in files: always, or with these options. */
  content?: true | readonly string[]
}

const patches = [
  "p",
  "u",
  "patch",
  "patch-with-stat",
  "G",
  "L",
  "S",
  "U",
  "unified",
  "word-diff",
  "c",
  "text",
]
/** The options with which a command of git only looks: what is abbreviated or together behind one dash otherwise is asked. */
const looks: Readonly<Record<string, GitLook>> = {
  status: {
    flags: "abdlnosuvz",
    long: "ahead-behind branch ignored long no-renames porcelain renames short show-stash untracked-files",
    content: ["v"],
  },
  log: { ...log, content: patches },
  whatchanged: { ...log, content: patches },
  "rev-list": { ...log, long: `${log.long} count objects` },
  shortlog: { flags: "cens", long: "all email no-merges numbered since summary until" },
  diff: { ...diff, content: true },
  "diff-tree": { ...diff, content: true },
  "diff-files": { ...diff, content: true },
  "diff-index": { ...diff, content: true },
  show: { ...log, content: true },
  "cat-file": { flags: "epst", content: true },
  blame: {
    flags: "bcCefklMnpstw0123456789",
    takes: "L",
    long: "porcelain line-porcelain show-email since",
    content: true,
  },
  annotate: { flags: "bclt", takes: "L", content: true },
  grep: {
    flags: "abcEFGhHiIlLnpPqrsvwWz0123456789",
    takes: "ABCem",
    long: "all-match and basic-regexp break cached color column count extended-regexp files-with-matches files-without-match fixed-strings full-name function-context heading ignore-case invert-match line-number name-only not only-matching or perl-regexp quiet recurse-submodules recursive show-function text untracked word-regexp",
    content: true,
  },
  "rev-parse": {
    flags: "q",
    long: "abbrev abbrev-ref absolute-git-dir all branches git-common-dir git-dir is-bare-repository is-inside-git-dir is-inside-work-tree quiet remotes short show-cdup show-prefix show-superproject-working-tree show-toplevel symbolic symbolic-full-name tags verify",
  },
  "ls-files": {
    flags: "cdikmostuvz",
    long: "cached deleted error-unmatch exclude-standard full-name ignored modified others stage unmerged",
  },
  "ls-tree": { flags: "dlrtz", long: "abbrev full-name full-tree long name-only name-status" },
  describe: { long: "abbrev all always contains dirty exact-match exclude first-parent long match tags" },
  "merge-base": { flags: "a", long: "all fork-point independent is-ancestor octopus" },
  "name-rev": { long: "all always name-only no-undefined tags" },
  "for-each-ref": { long: "contains count format merged no-merged points-at sort" },
  "count-objects": { flags: "vH", long: "human-readable verbose" },
  "show-ref": { flags: "dqs", long: "abbrev branches dereference hash head heads quiet tags verify" },
  "check-ignore": { flags: "nqvz", long: "no-index non-matching quiet verbose" },
  var: { flags: "l" },
}
/** Commands that also change something: only these forms look. */
const forms: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-a|-r|-v|-vv|-av|-avv|--all|--remotes|--list|--show-current|--verbose| )*$/,
  tag: /^(?:(?:-l|--list|-n\d*)(?: [^\s-]\S*)*)?$/,
  remote: /^(?:-v|--verbose|get-url(?: --all)? [^\s-]\S*)?$/,
  reflog: /^(?:show(?: [^\s-]\S*)?)?$/,
  stash: /^(?:list|show)(?: (?:-p|-u|--patch|--stat|--name-only|--include-untracked|[^\s-]\S*))*$/,
  config: /^(?:--(?:local|global|system) )?(?:--get|--get-all|--list|-l|list|get)(?: [\w.-]+)?$/,
  worktree: /^list(?: --porcelain)?$/,
  submodule: /^status$/,
  notes: /^(?:list|show)$/,
}

/** A command of git that looks only. Any of its words may be a file, also one outside of the repository. */
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
  const [folder = here] = folders
  const command = args[at]?.value ?? ""
  const rest = args.slice(at + 1)
  if (folders.length > 1 || folder.value === undefined || folder.glob || args[at]?.glob) return undefined
  if (Object.hasOwn(forms, command)) {
    if (rest.some((word) => word.value === undefined || word.glob)) return undefined
    if (!forms[command]?.test(rest.map((word) => word.value).join(" "))) return undefined
    return { words: folders, git: { folder, content: command === "stash" } }
  }
  const look = Object.hasOwn(looks, command) ? looks[command] : undefined
  const taken = look && takeOptions(rest, look)
  if (look === undefined || taken === undefined) return undefined
  const { names, words, after } = taken
  const tells = look.content === true || (look.content?.some((name) => names.has(name)) ?? false)
  const files = words.filter((word) => word.value !== "")
  const elsewhere = folders.length > 0
  // There its words are files of that folder, or of none: outside of a repository it compares any two.
  if (elsewhere && files.some((word) => command === "diff" || !staysBelow(word.value))) return undefined
  // Only the files that are named after `--` are shown; a word that begins with `:` may stand for all.
  const named = after.length > 0 && after.every((word) => !word.value?.startsWith(":"))
  const content = tells && (elsewhere || command === "cat-file" || !named)
  return {
    words: elsewhere ? folders : files,
    ...(tells ? { folders: "below" as const } : {}),
    git: { folder, content },
  }
}

/** A command of git that may tell what is in any file of its work tree, whatever its options are. */
export const tellsFiles = (words: readonly ShellWord[]): boolean => {
  const command = words[1]?.value ?? ""
  return Object.hasOwn(looks, command) && looks[command]?.content !== undefined
}

const staysBelow = (value = "/"): boolean => !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(value)
