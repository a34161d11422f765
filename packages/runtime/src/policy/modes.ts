import type { Verdict } from "@factum/facts"
import { globMatch, holds } from "./match.ts"
import type { Part, Where } from "./parts.ts"
import { inside } from "./paths.ts"
import type { Mode } from "./types.ts"
import type { Explanation } from "./verdict.ts"

/** Places from which something is run later or by someone else: writing there is asked, also when edits are free. */
export const protectedPaths: readonly string[] = [
  "**/.git",
  "**/.git/**",
  "**/.gitmodules",
  "**/.husky/**",
  "**/.githooks/**",
  "**/.factum/**",
  "**/factum.config.json",
  "**/.mcp.json",
  "**/.envrc",
  "**/.vscode/**",
  "**/.idea/**",
  "~/.ssh/**",
  "~/.gnupg/**",
  "~/.aws/**",
  "~/.config/**",
  "~/.kube/**",
  "~/.docker/**",
  "~/.local/bin/**",
  "~/.netrc",
  "~/.npmrc",
  "~/.gitconfig",
  "~/.pypirc",
  "~/.bash*",
  "~/.zsh*",
  "~/.zlog*",
  "~/.profile",
  "~/.inputrc",
  "~/.vimrc",
  "~/.tmux.conf",
  "/etc/**",
]

/** Places with keys: looking there is asked, also inside the workspace. */
export const secretPaths: readonly string[] = [
  "~/.ssh/**",
  "~/.gnupg/**",
  "~/.aws/**",
  "~/.kube/**",
  "~/.docker/**",
  "~/.netrc",
  "~/.npmrc",
  "~/.pypirc",
  "~/.config/gcloud/**",
  "~/.config/gh/**",
]

export type ModeView = { verdict: Verdict | "none"; why: string }

/** What the mode says about one part. Silence leaves it to the rules, and to a person if they are silent too. */
export function modeView(mode: Mode, part: Part, where: Where): ModeView {
  if (needsNothing(part)) return { verdict: "allow", why: "touches nothing by itself" }
  if (part.kind === "unreadable")
    return { verdict: mode === "plan" ? "deny" : "ask", why: `it cannot be read: ${part.why}` }
  if (mode === "full") return { verdict: "allow", why: "full mode" }
  const looked = looks(part, where)
  if (looked) return looked
  if (mode === "plan") return { verdict: "deny", why: `plan mode only looks: ${what(part)}` }
  if (part.kind === "file" && part.path !== undefined && isProtected(part.path, where))
    return { verdict: "ask", why: `${part.path} is protected` }
  if (mode === "accept_edits" && part.kind === "file" && writable(part, where))
    return { verdict: "allow", why: "edits in the workspace are free" }
  return { verdict: "none", why: what(part) }
}

/** Parts that are judged only by what forbids. */
export function needsNothing(part: Part): boolean {
  if (part.kind === "command") return part.command.wrapper && part.command.opaque === undefined
  if (part.kind === "file") return part.use === "mention"
  return part.kind === "network" && part.mention === true
}

function looks(part: Part, where: Where): ModeView | undefined {
  if (part.kind === "command")
    return part.command.harmless && part.command.opaque === undefined
      ? { verdict: "allow", why: "known to look only" }
      : undefined
  if (part.kind !== "file" || part.use !== "read") return undefined
  const { path } = part
  if (path === undefined) return { verdict: "none", why: `which file ${part.text} is cannot be told` }
  if (![where.cwd, ...where.roots].some((root) => inside(path, root)))
    return { verdict: "none", why: `${path} is outside the workspace` }
  const below = (pattern: string) => part.deep === true && holds(pattern, path, true, where)
  if (isSecret(path, where) || secretPaths.some(below))
    return { verdict: "none", why: `${path} may hold keys` }
  return { verdict: "allow", why: "reading in the workspace" }
}

export const isSecret = (path: string, where: Where): boolean =>
  secretPaths.some((pattern) => globMatch(pattern, path, where, true))

/** Whether commands are allowed only because they are known to look. */
export function looksOnly(mode: Mode, parts: readonly Part[], { verdict, sources }: Explanation): boolean {
  if (mode === "full" || verdict !== "allow" || !parts.some((part) => part.kind === "command")) return false
  if (sources.some((voice) => voice.verdict === "allow" && voice.source !== "mode")) return false
  return parts.every(
    (part) => part.kind === "command" || needsNothing(part) || (part.kind === "file" && part.use === "read"),
  )
}

function writable(part: Extract<Part, { kind: "file" }>, where: Where): boolean {
  const { path } = part
  return (
    path !== undefined &&
    where.roots.some((root) => inside(path, root) && (path !== root || part.use === "read"))
  )
}

export const isProtected = (path: string, where: Where): boolean =>
  protectedPaths.some((pattern) =>
    pattern.startsWith("**/")
      ? globMatch(`/${pattern}`, path, where, true)
      : globMatch(pattern, path, where, true),
  )

function what(part: Part): string {
  switch (part.kind) {
    case "command":
      return part.command.opaque ?? "it is not known to look only"
    case "file":
      return part.path === undefined
        ? `which file it ${part.use}s cannot be told`
        : `it ${part.use}s ${part.path}`
    case "network":
      return `it speaks with ${part.host ?? "an unknown host"}`
    case "other":
      return `it does ${part.text}`
    case "unreadable":
      return part.why
  }
}
