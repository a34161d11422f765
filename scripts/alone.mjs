// Runs on Node 20, before anything is installed.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

const EVERY_MS = 200
/** Longer than any installation may take. */
const PATIENCE_MS = 45 * 60_000

/** Does this while no other process does it under the same path; one that ended without a word is not waited for. */
export function alone(path, perform, say = console.error) {
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid}`)
  try {
    take(path, own, say)
  } finally {
    rmSync(own, { force: true })
  }
  try {
    return perform()
  } finally {
    rmSync(path, { force: true })
  }
}

function take(path, own, say) {
  const until = Date.now() + PATIENCE_MS
  let told
  while (!linked(own, path)) {
    const holder = holderOf(path)
    if (holder === undefined) continue
    if (!isAlive(holder)) {
      leave(path, holder)
      continue
    }
    if (told !== holder) say(`Process ${holder} is installing packages here; waiting for it…`)
    told = holder
    if (Date.now() > until)
      throw new Error(`Process ${holder} still holds ${path}: end it, or remove that file.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EVERY_MS)
  }
}

/** A link has its content from the first moment on, unlike a file that is made and then written. */
function linked(own, path) {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw error
  }
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Taken away by its name and looked at again: another one may have put its own there in between. */
function leave(path, dead) {
  const aside = `${path}.${process.pid}.left`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (holderOf(aside) !== dead) linked(aside, path)
  rmSync(aside, { force: true })
}
