import { lstatSync, realpathSync } from "node:fs"
import { isAbsolute, relative, sep } from "node:path"
import { realPath, replaceFile } from "@factum/runtime/tools"
import type { Checked } from "./refusal.ts"

/** Writes a file in the project, at a path relative to it; links must not lead out, and nothing is lost unasked. */
export async function exportTo(
  project: string | undefined,
  path: string,
  bytes: Uint8Array,
  overwrite: boolean,
): Promise<Checked<{ path: string; bytes: number }>> {
  const no = (
    code: "unavailable" | "not_permitted" | "conflict" | "write_failed",
    message: string,
    fix: string,
  ) => ({ ok: false, refusal: { code, message, field: "path", fix } }) as const
  const download = "Leave path out to get a ref to download."
  if (project === undefined) return no("unavailable", "This host has no project folder.", download)
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path) || path.includes("\0"))
    return no("not_permitted", "The path is relative to the project.", "Name a file in the project.")
  const root = realpathSync(project)
  const place = await realPath(path, root)
  const inside = relative(root, place)
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside))
    return no("not_permitted", `${path} leads out of the project.`, "Name a file in the project.")
  if (inside.split(sep).some(isGuarded))
    return no("not_permitted", `${inside} decides what is run or allowed here.`, "Choose another place.")
  if (!overwrite && lstatSync(place, { throwIfNoEntry: false }) !== undefined)
    return no("conflict", `${inside} exists.`, "Say overwrite: true, or choose another name.")
  const written = await replaceFile(place, bytes)
  if (!written.ok) return no("write_failed", `${inside}: ${written.reason}`, "Mend that, then export again.")
  return { ok: true, value: { path: inside, bytes: written.bytes } }
}

const guarded: ReadonlySet<string> = new Set([".git", ".factum", ".mcp.json", "factum.config.json", ".husky"])

/** Many file systems know no case, and Windows takes no notice of dots and blanks at the end. */
const isGuarded = (name: string): boolean => guarded.has(name.toLowerCase().replace(/[. ]+$/, ""))
