import { commandName } from "./names.ts"
import { changesMeaning } from "./talkers.ts"
import type { ShellWord } from "./types.ts"

type Args = readonly (string | undefined)[]
type Hides = (args: Args) => boolean

const always: Hides = () => true
const has =
  (...patterns: readonly RegExp[]): Hides =>
  (args) =>
    args.some((arg) => arg === undefined || patterns.some((pattern) => pattern.test(arg)))
/** Code on the command line, or on the standard input. */
const inline =
  (...flags: readonly RegExp[]): Hides =>
  (args) => {
    const file = args.findIndex((arg) => arg === undefined || !arg.startsWith("-"))
    if (file < 0 || args[file] === undefined) return true
    return args.some((arg) => arg !== undefined && flags.some((flag) => flag.test(arg)))
  }

/** How each program is asked for its version: `make version` and `python -v` are something else. */
const versions: Readonly<Record<string, string>> = {
  "-v": "node nodejs npm npx ruby make docker tsc bun gcc clang perl php",
  "-V": "python python3 pip pip3 rg deno",
  version: "git go docker",
}
export const onlyVersion = (name: string, [option = "", ...others]: Args): boolean =>
  others.length === 0 && (option === "--version" || (versions[option]?.split(" ").includes(name) ?? false))

const scheduler = "at batch crontab systemd-run screen tmux launchctl".split(" ")
const remote = "ssh sshpass mosh docker podman nerdctl kubectl lxc machinectl vagrant adb".split(" ")
const stage =
  "su runuser pkexec gosu su-exec chroot unshare nsenter setpriv capsh bwrap firejail proot script flock parallel entr watch strace ltrace gdb lldb expect tclsh wish osascript m4 dc ed ex vi vim nvim emacs emacsclient rlwrap unbuffer xvfb-run dbus-run-session wine start open xdg-open newgrp sg run-parts cmd".split(
    " ",
  )

/** A makefile that is not a file of its own. */
const fromInput = has(
  /^-(?:[a-zA-Z]*f-)?$/,
  /^--(?:file|makefile)=-$/,
  /\/dev\/(?:stdin|fd)/,
  /^-E/,
  /^--eval/,
)

/** Commands that run text or programs which this grammar does not see. */
const hides: Readonly<Record<string, Hides>> = {
  ...Object.fromEntries([...scheduler, ...remote, ...stage].map((name) => [name, always])),
  source: always,
  fc: always,
  ".": always,
  python: inline(/^-[a-zA-Z]*c/, /^-$/),
  pypy: inline(/^-[a-zA-Z]*c/, /^-$/),
  perl: inline(/^-[a-zA-Z0-9]*[eE]/, /^-$/),
  ruby: inline(/^-[a-zA-Z]*e/, /^-$/),
  node: inline(/^-[a-z]*[epr]/, /^--(?:eval|print|require|import|loader|experimental-loader)/, /^-$/),
  nodejs: inline(/^-[a-z]*[epr]/, /^--(?:eval|print|require|import|loader)/, /^-$/),
  bun: inline(/^-[a-z]*[epr]/, /^--(?:eval|print|preload)/, /^(?:eval|exec)$/),
  deno: inline(/^eval$/, /^-$/),
  php: inline(/^-[rBRE]/, /^--run/),
  lua: inline(/^-e/, /^-$/),
  rscript: inline(/^-e/),
  groovy: inline(/^-e/),
  awk: awkHides,
  gawk: awkHides,
  mawk: awkHides,
  nawk: awkHides,
  sed: sedHides,
  gsed: sedHides,
  tar: has(/^-[a-zA-Z]*[IF]/, /^--(?:to-c|chec|use|info-s|new-v|rsh|rmt)/),
  rsync: has(/^-[a-zA-Z]*e/, /^--rs/),
  scp: has(/^-[a-zA-Z0-9]*[SoF]/),
  sftp: always,
  nc: has(/^-[a-zA-Z]*[ec]/, /^--(?:sh-)?exec/),
  ncat: has(/^-[a-zA-Z]*[ec]/, /^--(?:sh-)?exec/),
  netcat: has(/^-[a-zA-Z]*[ec]/),
  socat: has(/(?:EXEC|SYSTEM|SHELL):/i),
  sqlite3: has(/^\.|\n\s*\./, /^-(?:cmd|init)/),
  psql: has(/\\!/, /^-f/),
  mysql: has(/\\!|system/i),
  git: has(
    /^--(?:exec|extcmd|upload-p|receive-p|open-f)/,
    /^-x/,
    /^-O/,
    /(?:^|=)ext::/,
    /^!/,
    /^(?:alias|core|credential|pager|sequence|gpg|include\w*)\./i,
    /\.(?:cmd|command|textconv|driver|helper|program|process|clean|smudge)(?:=|$)/i,
    /^(?:foreach|filter-branch|bisect)$/,
  ),
  fd: has(/^-[a-zA-Z]*[xX]/),
  fdfind: has(/^-[a-zA-Z]*[xX]/),
  curl: has(/^-[a-zA-Z]*K/, /^--config/),
  enable: has(/^-[a-z]*f/),
  hash: has(/^-[a-z]*p/),
  bind: has(/^-[a-z]*x/),
  mapfile: has(/^-[a-z]*C/),
  readarray: has(/^-[a-z]*C/),
  complete: has(/^-[a-z]*[CF]/),
  compgen: has(/^-[a-zA-Z]*[CF]/),
  zip: has(/^-TT/, /^--unzip/),
  make: fromInput,
  gmake: fromInput,
  apt: has(/^-[a-z]*[oc]/, /^--(?:opt|conf)/),
  "apt-get": has(/^-[a-z]*[oc]/, /^--(?:opt|conf)/),
  wget: has(/^-[a-zA-Z]*e/, /^--(?:exec|conf|use-askpass)/),
  openssl: has(/^engine$/, /^-(?:engine|provider)/),
  nmap: has(/^--(?:script|datadir)/),
}

/** Options that name a program to run, whatever the command. */
const runs =
  /^--(?:exec|exec-path|exec-batch|pre|hostname-bin|filter|compress-program|use-compress-program|to-command|checkpoint-action|rsh|rsync-path|pager|eval|preview|init-file|rcfile|startup-file)(?:=|$)/
/** An index of an array is run by the shell wherever it reads a number: `a[$(rm x)]`. One pass, however long. */
export function hiddenIndex(text: string): boolean {
  let index = false
  for (const [sign] of text.matchAll(/[[\]`]|\$\(/g)) {
    if (sign === "[" || sign === "]") index = sign === "["
    else if (index) return true
  }
  return false
}

/** Why the command hides what it runs, or nothing. */
export function hidden(words: readonly ShellWord[]): string | undefined {
  const name = commandName(words[0])
  if (name === undefined) return "the name of the command is not known before it runs"
  const changes = changesMeaning(words)
  if (changes !== undefined) return changes
  if (/^\/(?:proc|dev)\//.test(words[0]?.value ?? "")) return "what is behind the name cannot be told"
  const args = words.slice(1).map((word) => (word.glob ? undefined : word.value))
  if (onlyVersion(name, args)) return undefined
  const known = name.replace(/^(python|pypy|perl|ruby|php|lua|node)[\d.]+$/, "$1")
  if (!Object.hasOwn(hides, known)) return general(args)
  return hides[known]?.(args) ? `${name} may run what cannot be seen here` : general(args)
}

function general(args: Args): string | undefined {
  for (const arg of args) {
    if (arg === undefined) continue
    if (runs.test(arg)) return `${arg.split("=")[0]} runs another program`
    if (hiddenIndex(arg)) return "an array index may run a command"
  }
  return undefined
}

function awkHides(args: Args): boolean {
  return args.some(
    (arg) => arg === undefined || /system|getline|[|@]|\/inet/.test(arg) || /^-[a-z]*[fiElo]/.test(arg),
  )
}

function sedHides(args: Args): boolean {
  const first = args.find((arg) => arg === undefined || !arg.startsWith("-"))
  const isScript = (arg: string, i: number) => arg === first || /^-[a-zA-Z]*e$|^--exp/.test(args[i - 1] ?? "")
  return args.some((arg, i) => arg === undefined || sedRuns(arg) || (isScript(arg, i) && /^\s*e/.test(arg)))
}

/** GNU sed runs a command with `e`, alone or as a flag of `s`. */
function sedRuns(arg: string): boolean {
  if (/^-[a-zA-Z]*f|^--file/.test(arg) || arg.length > 2_000) return true
  return (
    /(?:^|[;\n{}\d$/!\s,])e(?:\s|;|}|$)/.test(arg) ||
    // After an address or at the beginning of a command what follows is run, also without a blank.
    /(?:[;\n{}!]|[\d$])\s*e(?!\d)|\/[IM]*\s*!?\s*e\\?\w*\s|^-[a-zA-Z]*e\s*e|^--exp[a-z]*=\s*e/.test(arg) ||
    /([^\w\s\\]).*\1[gpiImM\d]*e[gpiImM\d]*\s*(?:$|[;}\n])/s.test(arg)
  )
}
