import { randomBytes } from "node:crypto"
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Kept beside the facts, so that an open page goes on after the host was started again. */
export function keepToken(directory: string): string {
  const path = join(directory, "token")
  const kept = readToken(directory)
  if (kept !== undefined) {
    chmodSync(path, 0o600)
    return kept
  }
  const token = randomBytes(32).toString("base64url")
  writeFileSync(`${path}.new`, `${token}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return token
}

export function readToken(directory: string): string | undefined {
  try {
    return /^[\w-]{43}$/.exec(readFileSync(join(directory, "token"), "utf8").trim())?.[0]
  } catch {
    return undefined
  }
}
