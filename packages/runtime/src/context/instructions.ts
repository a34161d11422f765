import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Ref, RuntimeEvent } from "@factum/facts"

type Resolved = Extract<RuntimeEvent, { type: "context.resolved" }>["payload"]

export type InstructionPlaces = {
  /** The top of the workspace; nothing outside of it is read, whatever links say. */
  root: string
  cwd: string
  /** The folder of the person's own AGENTS.md. */
  user?: string
  /** Files beside AGENTS.md that were asked for by name, relative to the root. */
  also?: readonly string[]
  budget_bytes?: number
}

export type Instruction = { name: string; text: string; ref: Ref }

export type Instructions = {
  /** From the most general to the nearest; the nearest has the last word. */
  files: readonly Instruction[]
  /** As `context.resolved` carries them. */
  selected: Resolved["selected"]
  missing: Resolved["missing"]
  warnings: Resolved["warnings"]
}

export const defaultBudgetBytes = 64 * 1024
const fileName = "AGENTS.md"

type Wanted = { name: string; path: string; within: string; needed: boolean }
type Read = { ok: true; bytes: Buffer; size: number } | { ok: false; reason: string; absent: boolean }

/** Finds the AGENTS.md files from the root down to where the work is, and the person's own. Does not throw. */
export async function findInstructions(places: InstructionPlaces): Promise<Instructions> {
  const missing: Resolved["missing"] = []
  const warnings: string[] = []
  const wanted = await wantedFiles(places, missing)
  const files: Instruction[] = []
  let left = places.budget_bytes ?? defaultBudgetBytes
  const seen = new Set<string>()

  // The nearest are served first: what a budget cuts is the general.
  for (const one of wanted.toReversed()) {
    const read = await readWithin(one.path, one.within, left)
    if (!read.ok) {
      if (one.needed || !read.absent) missing.push({ name: one.name, reason: read.reason })
      continue
    }
    const text = textOf(read)
    if (text === undefined) {
      missing.push({ name: one.name, reason: "It is no text in UTF-8." })
      continue
    }
    const cut = Buffer.byteLength(text) < read.size
    if (cut) warnings.push(leftOut(one.name, Buffer.byteLength(text), read.size))
    if (text === "" || seen.has(text)) continue
    seen.add(text)
    left -= Buffer.byteLength(text)
    files.unshift({ name: one.name, text, ref: refOf(one.name, text, cut) })
  }
  const selected = files.map(({ ref }) => ({ kind: "context" as const, ref }))
  return { files, selected, missing: missing.toReversed(), warnings: warnings.toReversed() }
}

async function wantedFiles(places: InstructionPlaces, missing: Resolved["missing"]): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  if (places.user !== undefined) {
    const path = join(places.user, fileName)
    wanted.push({ name: `user/${fileName}`, path, within: places.user, needed: false })
  }
  const root = await realpath(places.root).catch(() => undefined)
  if (root === undefined) {
    missing.push({ name: "workspace", reason: "The folder of the workspace is not there." })
    return wanted
  }
  const inside = (path: string, name: string, needed: boolean) =>
    wanted.push({ name: `workspace/${name}`, path, within: root, needed })

  const cwd = await realpath(places.cwd).catch(() => undefined)
  const way = cwd === undefined ? "" : relative(root, cwd)
  const steps = way === "" || leaves(way) ? [] : way.split(sep)
  if (cwd === undefined || leaves(way)) {
    missing.push({ name: "cwd", reason: "The working folder is not inside the workspace." })
  }
  for (const name of places.also ?? []) inside(resolve(root, name), name.split(sep).join("/"), true)
  for (let depth = 0; depth <= steps.length; depth++) {
    const parts = [...steps.slice(0, depth), fileName]
    inside(join(root, ...parts), parts.join("/"), false)
  }
  return wanted
}

const leaves = (way: string): boolean => way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)

/** Reads at most `limit` bytes of a file whose real place is inside of the folder. */
export async function readWithin(path: string, folder: string, limit: number): Promise<Read> {
  let file: FileHandle | undefined
  try {
    const home = await realpath(folder)
    const real = await realpath(path)
    if (leaves(relative(home, real))) {
      return { ok: false, reason: "It is a link that leads out of its folder.", absent: false }
    }
    // The real path holds no link any more; one put there meanwhile is not followed, a pipe not waited for.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile()) return { ok: false, reason: "It is no file.", absent: false }
    const bytes = Buffer.alloc(Math.min(stat.size, Math.max(0, limit)))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return { ok: true, bytes: bytes.subarray(0, bytesRead), size: stat.size }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown"
    const absent = code === "ENOENT" || code === "ENOTDIR"
    return { ok: false, reason: absent ? "There is no such file." : `It cannot be read (${code}).`, absent }
  } finally {
    await file?.close()
  }
}

/** A file that was cut ends with its last whole line. */
function textOf({ bytes, size }: { bytes: Buffer; size: number }): string | undefined {
  const whole = bytes.length >= size
  const used = whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(used)
  } catch {
    return undefined
  }
}

function leftOut(name: string, used: number, size: number): string {
  if (used === 0) return `${name} was left out: its ${size} bytes are over the budget for instructions.`
  return `${name} was cut: ${used} of ${size} bytes fit into the budget for instructions.`
}

/** The digest is that of the text which the model is given. */
function refOf(name: string, text: string, cut: boolean): Ref {
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`
  const title = cut ? `${name} (cut)` : name
  const uri = `context:${name.split("/").map(encodeURIComponent).join("/")}`
  return { uri, kind: "context", digest, bytes: Buffer.byteLength(text), media_type: "text/markdown", title }
}
