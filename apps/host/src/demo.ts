import { cpSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const folderOf = (name: string): string => fileURLToPath(new URL(`../demo/${name}`, import.meta.url))

/** What the scripted model says when no model and no other script is named. */
export const demoScript = folderOf("welcome.jsonl")

/** Where the demonstrations are played: a copy of the sample for each session, so that each finds it as it was made. */
export type Sample = {
  root: string
  /** Where its own configuration is read, in place of the project's and the person's. */
  folder: string
  user: string
  placeOf(session_id: string): string
}

export function openSample(where: string): Sample {
  const placeOf = (id: string) => {
    mkdirSync(where, { recursive: true, mode: 0o700 })
    return copyFor(realpathSync(where), id)
  }
  return { root: resolve(where), folder: folderOf("sample"), user: folderOf("."), placeOf }
}

/** Complete or not there at all: a copy that was cut off is made again. */
function copyFor(root: string, session_id: string): string {
  const place = join(root, session_id.replace(/[^\w-]/g, "_") || "sample")
  if (existsSync(place)) return place
  const half = `${place}.half`
  rmSync(half, { recursive: true, force: true })
  cpSync(folderOf("sample"), half, { recursive: true })
  renameSync(half, place)
  return place
}
