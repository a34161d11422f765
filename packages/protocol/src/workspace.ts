/** What a file path is checked against. `real` follows symbolic links; it gives nothing for what does not exist. */
export type Workspace = { root: string; real(path: string): string | undefined }

export type Located = { ok: true; path: string } | { ok: false; message: string }

/** The real path of a file inside the workspace. Whatever else a path may be, it is refused. */
export function locate(path: string, workspace: Workspace): Located {
  const root = workspace.real(workspace.root)
  if (root === undefined) return outside("the workspace does not exist")
  if (path === "" || /[\0\\]|%2e|%2f/i.test(path)) return outside("it is not a plain path")
  if (/^(?:~|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path)) return outside("it is not a path of the workspace")
  const absolute = path.startsWith("/") ? path : `${root}/${path}`
  const parts: string[] = []
  for (const part of absolute.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.pop() === undefined) return outside("it leaves the workspace")
  }
  const plain = `/${parts.join("/")}`
  if (!within(plain, root) && !within(plain, workspace.root)) return outside("it leaves the workspace")
  const real = workspace.real(plain)
  if (real === undefined) return outside("it does not exist")
  return within(real, root) ? { ok: true, path: real } : outside("it leaves the workspace through a link")
}

const within = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`)

const outside = (message: string): Located => ({ ok: false, message })
