import { existsSync, lstatSync, realpathSync } from "node:fs"
import { delimiter, dirname, isAbsolute } from "node:path"
import type { Boundary, Workspace } from "../ports/tool.ts"

export type Masks = {
  /** A folder that stands for /tmp inside and lasts from one process to the next; without it /tmp is empty and lost. */
  scratch?: string
  /** Folders that no process may see, such as the host's own data. */
  hidden?: readonly string[]
  /** Files that no process may change, such as the programs of hooks: they run outside of its boundary. */
  kept?: readonly string[]
  /** Folders of programs, which stay in sight also where they lie in /tmp. */
  programs?: readonly string[]
}

/** Where this program and those on its path lie. */
export const programFolders = (path = process.env.PATH ?? ""): string[] => [
  ...new Set([dirname(process.execPath), ...path.split(delimiter)].filter((folder) => isAbsolute(folder))),
]

/** Read in /run although the rest of it, with the sockets of the system's services, is out of sight. */
const seenInRun = ["/run/systemd/resolve", "/run/current-system", "/run/opengl-driver"]
/** As root, files of others stay usable where they may be written; nothing that could undo a mount is kept. */
const rootKeeps = ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"]

/** In a folder that may be written: what Factum, git, shells and editors obey outside of the boundary. */
const keptNames = [
  "factum.config.json .mcp.json .factum .envrc .vscode .idea .husky .githooks".split(" "),
  [".git/config", ".git/hooks"],
].flat()

/** The arguments of bubblewrap, up to the command. Later mounts cover earlier ones. */
export function bubblewrapArguments(
  boundary: Boundary,
  where: Workspace,
  masks: Masks,
  root: boolean,
): string[] {
  const args = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
  if (root) args.push(...rootKeeps.flatMap((name) => ["--cap-add", name]))
  if (boundary.network === "none") args.push("--unshare-net")
  if (boundary.profile === "full") args.push("--dev-bind", "/", "/", "--proc", "/proc")
  else args.push(...confined(boundary, where, masks))
  return [...args, "--chdir", where.cwd]
}

function confined({ profile, network }: Boundary, { cwd, roots }: Workspace, masks: Masks): string[] {
  const writable = profile === "workspace_write" ? roots : []
  const args = [writable.includes("/") ? "--bind" : "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
  args.push("--tmpfs", "/run")
  if (network !== "none") args.push(...seenInRun.flatMap((path) => ["--ro-bind-try", path, path]))
  args.push(...(masks.scratch === undefined ? ["--tmpfs", "/tmp"] : ["--bind", masks.scratch, "/tmp"]))
  const programs = (masks.programs ?? programFolders()).filter(
    (path) => path !== "/tmp" && isInside(path, "/tmp"),
  )
  args.push(...programs.flatMap((path) => ["--ro-bind-try", path, path]))
  args.push("--setenv", "TMPDIR", "/tmp")
  const folders = [...new Set([cwd, ...roots])].filter((path) => path !== "/").sort()
  const hidden = (masks.hidden ?? []).filter((path) => existsSync(path))
  const around = hidden.filter((path) => folders.some((folder) => isInside(folder, path)))
  args.push(...around.flatMap((path) => ["--tmpfs", path]))
  args.push(...folders.flatMap((path) => [mount(path, writable), path, path]))
  args.push(...writable.flatMap((root) => keep(root, masks.kept ?? [])))
  return [...args, ...hidden.filter((path) => !around.includes(path)).flatMap((path) => ["--tmpfs", path])]
}

/** Only what is there can be kept: a place that is held free would leave an empty file behind. */
function keep(root: string, files: readonly string[]): string[] {
  const names = keptNames.map((name) => `${root}/${name}`)
  const inside = [...names, ...files.filter((path) => path !== root && isInside(path, root))]
  const git = `${root}/.git`
  // A folder that is a mount cannot be moved away and put there anew.
  const held = isFolder(git) ? ["--bind", git, git] : []
  return [...held, ...inside.filter(isPlain).flatMap((path) => ["--ro-bind", path, path])]
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
/** Nothing can be mounted over a link, or below one. */
const isPlain = (path: string): boolean => existsSync(path) && realpathSync(path) === path

// A folder inside of a writable one must not become read-only by being mounted over it.
const mount = (path: string, writable: readonly string[]): string =>
  writable.some((root) => isInside(path, root)) ? "--bind" : "--ro-bind"

/** Whether the path is the folder or lies in it; both are absolute and real. */
export const isInside = (path: string, folder: string): boolean =>
  folder === "/" || path === folder || path.startsWith(`${folder}/`)
