import { lstat, readlink, realpath } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import type { ToolRun, Touch, Workspace } from "../../ports/tool.ts"
import { isInside } from "../../sandbox/bubblewrap.ts"
import { checkedByTool, sandboxApplied, sandboxViolation } from "../../sandbox/sandbox.ts"
import { type Failure, failed } from "./define.ts"

const mostLinks = 40

/** Where the path really leads: links are followed up to the deepest part that exists. */
export async function realPath(path: string, cwd: string, links = 0): Promise<string> {
  const absolute = resolve(cwd, path)
  try {
    return await realpath(absolute)
  } catch {
    if (links >= mostLinks || absolute === "/") return absolute
  }
  const target = await linkTarget(absolute)
  // A link to nothing would be followed by whoever writes to it.
  if (target !== undefined)
    return realPath(target, await realPath(dirname(absolute), "/", links + 1), links + 1)
  return resolve(await realPath(dirname(absolute), "/", links + 1), basename(absolute))
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch {
    return undefined
  }
}

export const touching =
  (kind: "read" | "write") =>
  async ({ path }: { path?: string | undefined }, { cwd }: Workspace): Promise<readonly Touch[]> => [
    { kind, path: await realPath(path ?? ".", cwd) },
  ]

type Place = { ok: true; path: string } | { ok: false; failure: Failure }

/** The real path, if the call may read it. */
export async function toRead(path: string, run: ToolRun): Promise<Place> {
  const real = await realPath(path, run.cwd)
  if (isOpen(real, run) || [run.cwd, ...run.roots].some((root) => isInside(real, root)))
    return { ok: true, path: real }
  const message = `${real} is outside of the workspace.`
  return { ok: false, failure: failed("permission_denied", message, "Use a path in the workspace, or ask.") }
}

/** The real path, if the call may write it; the boundary and each attempt to cross it are recorded. */
export async function toWrite(path: string, run: ToolRun): Promise<Place> {
  const real = await realPath(path, run.cwd)
  const { profile } = run.boundary
  const applied = checkedByTool(run.boundary, run)
  const inside = profile === "workspace_write" && run.roots.some((root) => isInside(real, root))
  if (inside || isOpen(real, run)) {
    if (await run.record([sandboxApplied(applied)])) return { ok: true, path: real }
    return { ok: false, failure: failed("interrupted", "The call is over.") }
  }
  const violation = {
    operation: "write",
    target: real,
    profile,
    detected_by: "tool",
    prevented: true,
  } as const
  await run.record([sandboxApplied(applied), sandboxViolation(violation)])
  const message =
    profile === "read_only" ? "Nothing may be written here." : `${real} is outside of the workspace.`
  const next =
    profile === "read_only" ? "Tell what you would change." : "Use a path in the workspace, or ask."
  return { ok: false, failure: failed("sandbox_violation", message, next) }
}

/** Whether someone decided that this call may go there. */
const isOpen = (path: string, { boundary, granted = [] }: ToolRun): boolean =>
  boundary.profile === "full" || granted.includes(path)
