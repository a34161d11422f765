import type { ShellWord } from "./types.ts"

const systemFolders = /^(?:\/usr\/local|\/usr|\/opt\/homebrew)?\/s?bin\/[^/]+$/

/** The name by which a command is known: `/bin/rm`, `RM.EXE` and zsh's `=rm` are `rm`. For what forbids. */
export function commandName(word: ShellWord | undefined): string | undefined {
  if (word?.value === undefined || word.glob) return undefined
  const name = word.value.slice(word.value.lastIndexOf("/") + 1)
  return name
    .toLowerCase()
    .replace(/\.exe$/, "")
    .replace(/^=/, "")
}

/** The name only if the system's own command is meant: `./ls` may be anything. For what permits. */
export function trustedName(word: ShellWord | undefined): string | undefined {
  if (word?.value === undefined || word.glob) return undefined
  if (!word.value.includes("/")) return word.value
  return systemFolders.test(word.value) ? word.value.slice(word.value.lastIndexOf("/") + 1) : undefined
}

export const shells: ReadonlySet<string> = new Set(
  "sh bash zsh dash ksh ksh93 mksh ash rbash rsh yash posh fish csh tcsh pwsh powershell nu elvish xonsh".split(
    " ",
  ),
)

/** Shells whose text this grammar reads. */
export const readableShells: ReadonlySet<string> = new Set("sh bash zsh dash ksh ash rbash".split(" "))

/** Variables that make a program run something, or change which program a name stands for. */
const commanding =
  /^(?:PATH|IFS|ENV|CDPATH|SHELLOPTS|BASHOPTS|HOME|PWD|FPATH|ZDOTDIR|PROMPT_COMMAND|PS[0-4]|EXECIGNORE|GLOBIGNORE|BASH_.*|LD_.*|DYLD_.*|GIT_.*|SSH_.*|NODE_.*|NPM_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|GOFLAGS|RUSTC.*|CARGO_.*|CC|CXX|LESS.*|MAKEFLAGS|.*PAGER|.*EDITOR|VISUAL|BROWSER|SHELL|.*_ASKPASS|.*_COMMAND|.*_CMD|.*PRELOAD.*|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|SVN_SSH|FZF_.*|RIPGREP_CONFIG_PATH|.*_OPTIONS|.*_OPTS|XDG_.*|GCONV_PATH|LOCPATH|NLSPATH|MAGIC|GZIP|GLIBC_.*|MALLOC_.*|OPENSSL_.*|CURL_HOME|WGETRC|MAKEFILES|GNUMAKEFLAGS|AWKPATH|AWKLIBPATH|PHP.*|LUA_.*|GEM_.*|BUNDLE_.*|PIP_.*|UV_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*|JDK_.*|MAVEN_.*|GRADLE_.*|GO.*|DOTNET_.*|HOSTALIASES|TERMINFO.*|VIMINIT|EXINIT|POSIXLY_CORRECT)$/
const tame = /^(?:NODE_ENV|NODE_NO_WARNINGS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|CARGO_TERM_COLOR)$/

export const commandsByVariable = (name: string): boolean => commanding.test(name) && !tame.test(name)

/** Variables of bash that compute whatever they are given. */
export const computesItself = (name: string): boolean =>
  /^(?:S?RANDOM|SECONDS|OPTIND|HISTCMD|LINENO|BASHPID|EPOCH\w*|FUNCNEST|E?UID|PPID|COMP_\w+)$/.test(name)

/** Variables that change how something looks, and nothing else. */
export const tameVariable = (name: string): boolean =>
  tame.test(name) ||
  /^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CI|DEBUG)$/.test(name)
