import { readPrivate } from "./private-file.ts"

export type Secrets = { ok: true; values: Readonly<Record<string, string>> } | { ok: false; message: string }

/** Lines of NAME=value, in a file that only its owner may read. What the environment says wins. */
export function readSecrets(path: string): Secrets {
  const file = readPrivate(path)
  if (file === undefined) return { ok: true, values: {} }
  if (!file.ok) return file
  const values: Record<string, string> = {}
  for (const [index, line] of file.text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, value] = /^\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*$/.exec(line) ?? []
    // The line may hold the secret itself, so it is not shown.
    if (name === undefined || value === undefined) {
      return { ok: false, message: `${path} is wrong in line ${index + 1}: write NAME=value.` }
    }
    values[name] = value.replace(/^(["'])(.*)\1$/, "$2")
  }
  return { ok: true, values }
}
