import { hash, randomUUID } from "node:crypto"
import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import { because, defineTool, failed } from "./define.ts"
import { realPath, touching, toWrite } from "./paths.ts"

const largestContent = 5_242_880

export const writeFile = defineTool({
  name: "write_file",
  description:
    "Writes a whole file, new or in place of the old one. Folders on the way are made. Prefer edit_file for small changes.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder, or absolute."),
    content: z.string().max(largestContent).describe("All of the file."),
  }),
  effect: "repeatable",
  side_effects: ["write"],
  capabilities: ["files.write"],
  touches: touching("write"),
  async run({ path, content }, run) {
    const place = await toWrite(path, run)
    if (!place.ok) return place.failure
    const written = await replaceFile(place.path, content)
    if (!written.ok) return failed("tool_error", `${place.path}: ${written.reason}`)
    const { bytes, digest, created } = written
    const output = `${created ? "Made" : "Replaced"} ${place.path} (${bytes} bytes).`
    return { ok: true, output, data: { path: place.path, bytes, digest, created } }
  },
})

type Replaced = { ok: true; bytes: number; digest: string; created: boolean } | { ok: false; reason: string }

/** The file has the old content or the new one at every moment, never a part. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<Replaced> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID()}.new`)
  try {
    await mkdir(dirname(path), { recursive: true })
    const mode = await modeOf(path)
    if (mode === "folder") return { ok: false, reason: "It is a folder." }
    const bytes = typeof content === "string" ? Buffer.from(content) : content
    await writeSynced(temporary, bytes)
    if (mode !== undefined) await chmod(temporary, mode)
    // A link that was put in the way since the path was judged must not lead the write elsewhere.
    if ((await realPath(path, "/")) !== path) throw new Error("The path changed while it was written.")
    await rename(temporary, path)
    return {
      ok: true,
      bytes: bytes.byteLength,
      digest: `sha256:${hash("sha256", bytes)}`,
      created: mode === undefined,
    }
  } catch (error) {
    await rm(temporary, { force: true })
    return { ok: false, reason: because(error) }
  }
}

async function modeOf(path: string): Promise<number | "folder" | undefined> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? "folder" : found.mode & 0o7777
  } catch {
    return undefined
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, "wx")
  await file.writeFile(bytes)
  await file.sync()
}
