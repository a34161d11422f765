import { type Options, takeOptions } from "./taken.ts"
import type { ShellWord } from "./types.ts"

/** The files that a harmless command looks at; undefined when the command is not known to be harmless. */
export type Reads = {
  words: readonly ShellWord[]
  /** `below`: with all that is in them; `unknown`: in a folder it may follow links to anywhere. */
  folders?: "below" | "unknown"
  /** It asks git, which finds its repository in this folder or above; `content`: it tells what is in files. */
  git?: { folder: ShellWord; content: boolean }
}

/** The options with which a command only looks. With any other it is asked about. */
type Look = Options & {
  /** Words before the files: the pattern of grep; with these options there is none. */
  skips?: number
  given?: string
  most?: number
  /** It goes down into folders: always, or with these options. */
  below?: true | readonly string[]
  follows?: true
  /** Without a file it looks at the folder where it stands. */
  here?: true
  /** Words that are no plain file. */
  not?: RegExp
}

export const here: ShellWord = { text: ".", value: "." }
const digits = "0123456789"
const sums: Look = { flags: "bt" }

export const lookers: Readonly<Record<string, Look>> = {
  ls: {
    here: true,
    flags: "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ",
    takes: "ITw",
    long: "all almost-all author color classify directory full-time group-directories-first human-readable inode no-group numeric-uid-gid recursive reverse size sort time time-style",
  },
  cat: { flags: "AbeEnstTuv", long: "number number-nonblank show-all show-ends show-tabs squeeze-blank" },
  head: { flags: `qvz${digits}`, takes: "nc", longTakes: "lines bytes", long: "quiet verbose" },
  tail: { flags: `fFqrvz${digits}`, takes: "ncs", longTakes: "lines bytes", long: "quiet verbose" },
  wc: { flags: "clLmw", long: "bytes chars lines words max-line-length" },
  nl: { flags: "p", takes: "bdfhilnsvw" },
  tac: { flags: "br", takes: "s" },
  rev: {},
  cut: {
    flags: "nsz",
    takes: "bcdf",
    long: "complement only-delimited zero-terminated",
    longTakes: "bytes characters delimiter fields output-delimiter",
  },
  paste: { flags: "sz", takes: "d" },
  fold: { flags: `bs${digits}`, takes: "w" },
  fmt: { flags: `cstu${digits}`, takes: "wgp" },
  expand: { flags: "i", takes: "t" },
  unexpand: { flags: "a", takes: "t" },
  column: { flags: "deJLtx", takes: "csoNRTHEOW" },
  comm: { flags: "123z" },
  join: { flags: "iz", takes: "aejotv12" },
  cmp: { flags: "bls", takes: "in", long: "silent quiet verbose print-bytes" },
  diff: {
    flags: `abBcdeEinNpqstTuwyZ${digits}`,
    takes: "CU",
    long: "brief color ignore-all-space ignore-blank-lines ignore-case ignore-space-change minimal new-file report-identical-files side-by-side text unified",
    follows: true,
  },
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  cksum: { takes: "a" },
  b2sum: { takes: "l" },
  shasum: { flags: "bt", takes: "a" },
  sort: {
    flags: "bdfghiMnRrsucCmVz",
    takes: "kt",
    long: "dictionary-order human-numeric-sort ignore-case ignore-leading-blanks numeric-sort reverse stable unique version-sort zero-terminated",
    longTakes: "key field-separator",
  },
  uniq: {
    flags: `cdDizu${digits}`,
    takes: "fsw",
    long: "count ignore-case repeated unique",
    first: true,
    most: 1,
  },
  tr: { flags: "cCdst", long: "complement delete squeeze-repeats truncate-set1", skips: 99 },
  grep: {
    flags: `abcEFGhHiIlLnoPqrsTuUvwxyzZ${digits}`,
    takes: "ABCem",
    long: "basic-regexp byte-offset color colour count extended-regexp files-with-matches files-without-match fixed-strings ignore-case initial-tab invert-match line-buffered line-number line-regexp no-filename no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive silent text with-filename word-regexp context",
    longTakes: "after-context before-context exclude exclude-dir include label max-count regexp",
    skips: 1,
    given: "e regexp",
    below: ["r", "recursive"],
  },
  rg: {
    flags: "acFhHiIlnNopPqsSuUvVwx0.",
    takes: "ABCdegjmMrtTE",
    long: "case-sensitive column count count-matches files files-with-matches files-without-match fixed-strings heading hidden ignore-case invert-match json line-number line-regexp multiline no-config no-filename no-heading no-ignore no-ignore-vcs no-line-number no-messages null only-matching pcre2 pretty quiet smart-case stats text trim type-list unrestricted vimgrep with-filename word-regexp",
    longTakes:
      "after-context before-context color context glob iglob max-columns max-count max-depth regexp replace sort sortr type type-not",
    skips: 1,
    given: "e regexp files type-list",
    below: true,
    here: true,
  },
  file: { flags: "bhikLNn0r", takes: "eF", long: "brief mime mime-type mime-encoding dereference" },
  stat: { flags: "fLt", takes: "c", longTakes: "format printf", long: "dereference terse" },
  readlink: { flags: "efmnqsvz" },
  realpath: { flags: "eLmPqsz" },
  // A word with `@` is a file in which more words stand.
  strings: { flags: "afow", takes: "netT", not: /^@/ },
  od: { flags: "abcdfhiloxsv", takes: "AjNt" },
  hexdump: { flags: "bcCdovx", takes: "ens" },
  // It reads only the first letter after the dash.
  xxd: { flags: "abeEpu", takes: "cglos", single: true, first: true, most: 1 },
  tree: {
    flags: "aACdDfFghinNpqQrsStuvxJ",
    takes: "LPI",
    long: "dirsfirst noreport prune gitignore",
    below: true,
    here: true,
  },
  du: {
    flags: "abcDhHkmlPsSx0",
    takes: "Bdt",
    long: "all apparent-size bytes human-readable null one-file-system separate-dirs si summarize total",
    longTakes: "block-size exclude max-depth threshold",
    below: true,
    here: true,
  },
  df: {
    flags: "ahHiklmPT",
    takes: "Btx",
    long: "all human-readable inodes local portability print-type total output",
  },
  jq: {
    flags: "acCejMnrRsS",
    long: "ascii-output color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output slurp sort-keys tab",
    skips: 1,
    // Programs may read other files, and the variables of the environment.
    not: /\b(?:import|include|env|ENV|input_filename|get_search_list|modulemeta)\b/,
  },
  base64: { flags: "dD", takes: "w", long: "decode wrap" },
  zcat: {},
  cd: { flags: "LPe@" },
}

export function looksAt(args: readonly ShellWord[], look: Look): Reads | undefined {
  const taken = takeOptions(args, look)
  if (taken === undefined || args.some((word) => look.not?.test(word.value ?? ""))) return undefined
  const has = (list: string | undefined): boolean =>
    (list ?? "").split(" ").some((name) => taken.names.has(name))
  const skips = has(look.given) ? 0 : (look.skips ?? 0)
  // A pattern may stand for more words than one, and the second is another thing than the first.
  const counted = look.most === undefined ? taken.words.slice(0, skips) : taken.words
  if (counted.some((word) => word.glob) && look.skips !== 99) return undefined
  if (taken.words.length > (look.most ?? Number.POSITIVE_INFINITY)) return undefined
  const files = taken.words.slice(skips).filter((word) => word.value !== "-")
  const below = look.below === true || (look.below?.some((name) => taken.names.has(name)) ?? false)
  const folders = below ? { folders: "below" as const } : look.follows ? { folders: "unknown" as const } : {}
  return { words: files.length === 0 && (look.here || below) ? [here] : files, ...folders }
}
