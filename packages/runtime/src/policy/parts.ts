import path from "node:path"
import type { Touch, Workspace } from "../ports/tool.ts"
import { expandGlob, isFolder, realPath } from "./paths.ts"
import { workTree } from "./repository.ts"
import { split } from "./shell/split.ts"
import type { FileUse, SimpleCommand } from "./shell/types.ts"

export type Where = Workspace & { home: string }

/** One thing that is judged by itself. The whole takes the strictest verdict of its parts. */
export type Part =
  | { kind: "command"; command: SimpleCommand }
  /** Without a path, it is not known which file it will be. */
  | {
      kind: "file"
      use: "read" | "write" | "delete" | "mention"
      text: string
      path?: string
      /** Everything below it is concerned, too. */
      deep?: true
      of?: SimpleCommand
    }
  /** Without a host, it is not known with whom it speaks. A mention is a word that may be an address. */
  | { kind: "network"; text: string; host?: string; mention?: true }
  | { kind: "other"; text: string }
  | { kind: "unreadable"; text: string; why: string }

const mostFiles = 1_000

/** Takes apart what a call touches, so that it can be judged without looking at the world again. */
export async function partsOf(touches: readonly Touch[], where: Where): Promise<readonly Part[]> {
  const parts: Part[] = []
  for (const touch of touches) {
    if (touch.kind === "command") parts.push(...(await commandParts(touch.command, touch.cwd, where.home)))
    else if (touch.kind === "network") parts.push({ kind: "network", text: touch.url, ...hostOf(touch.url) })
    else if (touch.kind === "other") parts.push({ kind: "other", text: touch.name })
    else {
      const real = await realPath(path.isAbsolute(touch.path) ? touch.path : `${where.cwd}/${touch.path}`)
      parts.push(await filePart(touch.kind, touch.path, real))
    }
  }
  return parts
}

async function commandParts(text: string, cwd: string | undefined, home: string): Promise<readonly Part[]> {
  const { commands, files, problems } = split(text, { cwd, home })
  const parts: Part[] = commands.map((command) => ({ kind: "command", command }))
  for (const why of problems) parts.push({ kind: "unreadable", text, why })
  if (files.length > mostFiles) parts.push({ kind: "unreadable", text, why: "it names too many files" })
  const seen = new Map<SimpleCommand | undefined, Set<string>>()
  for (const file of files.slice(0, mostFiles)) {
    const key = `${file.kind} ${file.git ? "git" : ""} ${file.word.text} ${file.word.value ?? ""} ${file.cwds.join(":")}`
    const before = seen.get(file.of) ?? new Set()
    if (before.has(key)) continue
    seen.set(file.of, before.add(key))
    parts.push(...(await fileParts(file)))
  }
  for (const command of commands)
    for (const word of command.words.slice(1))
      if (word.value !== undefined) parts.push(...addresses(word.value))
  return parts
}

async function fileParts(file: FileUse): Promise<readonly Part[]> {
  const { word, kind, of } = file
  const more = of ? { of } : {}
  const unknown: Part = { kind: "file", use: kind, text: word.text, ...more }
  if (word.value === undefined) return [unknown]
  if (kind === "mention" && /^[a-z][a-z+.-]*:\/\//i.test(word.value)) return []
  const socket = /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(word.value)?.[1]
  if (socket !== undefined)
    return [{ kind: "network", text: word.text, host: socket.toLowerCase().replace(/\.$/, "") }]
  const from = path.isAbsolute(word.value) ? [""] : file.cwds
  if (from.length === 0) return [unknown]
  const parts: Part[] = []
  for (const cwd of from) {
    const files = word.glob
      ? await expandGlob(word.value, cwd)
      : [cwd === "" ? word.value : `${cwd}/${word.value}`]
    if (files === undefined) return [unknown]
    for (const found of files) {
      const real = await realPath(found)
      if (file.git !== undefined) parts.push(...(await gitParts(file.git, word.text, real, more)))
      else parts.push({ ...(await filePart(kind, word.text, real, file)), ...more })
    }
  }
  return parts
}

type FilePart = Extract<Part, { kind: "file" }>

/** What git shows of the repository in which it stands. */
async function gitParts(
  { content }: NonNullable<FileUse["git"]>,
  text: string,
  real: string | undefined,
  more: { of?: SimpleCommand },
): Promise<readonly Part[]> {
  const found = real === undefined ? "unknown" : await workTree(real)
  if (found === "unknown") return [{ kind: "file", use: "read", text, ...more }]
  if (found === "none" || !content) return []
  return [{ kind: "file", use: "read", text, path: found, deep: true, ...more }]
}

async function filePart(
  use: FilePart["use"],
  text: string,
  real: string | undefined,
  { of, folders }: Pick<FileUse, "of" | "folders"> = {},
): Promise<FilePart> {
  if (real === undefined) return { kind: "file", use, text }
  // What looks only says itself how deep it looks; anything else may take a folder with all that is in it.
  const isDeep = use === "read" ? folders !== undefined : !of?.harmless
  const deep = isDeep && (await isFolder(real))
  if (deep && folders === "unknown") return { kind: "file", use, text }
  return { kind: "file", use, text, path: real, ...(deep ? { deep: true } : {}) }
}

/** Words that may be an address: a URL, `git@host:path`, or a name with dots. */
function addresses(value: string): readonly Part[] {
  const found: Part[] = []
  for (const [text] of value
    .slice(0, 20_000)
    .matchAll(/(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s'"<>|;]+/gi))
    found.push({ kind: "network", text, mention: true, ...hostOf(text) })
  if (value.length > 1_000) return found
  const bare =
    /^(?:--?[\w-]+=)?(?:[\w.-]+@)?((?:[\w-]+\.)+[a-z]{2,}|\d+(?:\.\d+){3}|localhost)\.?(?:[:/].*)?$/i.exec(
      value,
    )
  if (bare?.[1]) found.push({ kind: "network", text: value, mention: true, host: bare[1].toLowerCase() })
  return found
}

function hostOf(url: string): { host?: string } {
  if (!URL.canParse(url)) return {}
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, "")
  return host === "" ? {} : { host }
}
