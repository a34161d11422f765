import { type Command, flagsOf, Misuse } from "./command.ts"

export type Completed = Pick<Command, "name" | "summary" | "flags" | "atHost">
type Listed = () => readonly Completed[]

export const completionOf = (listed: Listed): Command => ({
  name: "completion",
  summary: "print the completion of a shell: bash, zsh or fish",
  usage: "bash|zsh|fish",
  least: 1,
  most: 1,
  async run({ words: [shell = ""] }) {
    const script = scripts[shell]
    if (script === undefined) throw new Misuse(`There is no completion for ${shell}: bash, zsh or fish`)
    console.log(script(listed()).trim())
    return 0
  },
})

const namesOf = (commands: readonly Completed[]) => commands.map(({ name }) => name).join(" ")
const optionsOf = (command: Completed) =>
  Object.keys(flagsOf(command))
    .map((name) => `--${name}`)
    .join(" ")
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const scripts: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: (commands) => `
# eval "$(factum completion bash)"
_factum() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${namesOf(commands)} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) options="${optionsOf(command)}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$options" -f -- "$word"))
}
complete -F _factum factum`,
  zsh: (commands) => `
#compdef factum
# factum completion zsh > "\${fpath[1]}/_factum"
_factum() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(" ")})
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map((command) => `    ${command.name}) compadd -- ${optionsOf(command)} ;;`).join("\n")}
  esac
  _files
}
compdef _factum factum`,
  fish: (commands) => `
# factum completion fish > ~/.config/fish/completions/factum.fish
${commands
  .flatMap((command) => [
    `complete -c factum -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...Object.entries(flagsOf(command)).map(
      ([name, { help, type }]) =>
        `complete -c factum -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${type === "string" ? " -r" : ""}${help === "" ? "" : ` -d ${quoted(help)}`}`,
    ),
  ])
  .join("\n")}`,
}
