import { type CommandName, commands } from "@factum/facts"

export const roles = ["viewer", "operator", "approver", "admin"] as const
export type Role = (typeof roles)[number]
export const isRole = (text: string): text is Role => roles.some((role) => role === text)
export type Permission = "read" | "operate" | "approve" | "administer"

/** Who drives an agent does not thereby approve what it does; a token may have both roles. */
const permitted: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ["read"],
  operator: ["read", "operate"],
  approver: ["read", "approve"],
  admin: ["read", "operate", "approve", "administer"],
}

/** Without either list, everything. */
export type Scope = { sessions?: readonly string[]; workspaces?: readonly string[] }

/** What the holder of a token may do, and where. */
export type Grant = {
  id: string
  name: string
  roles: readonly Role[]
  scope: Scope
  /** Without it, until it is revoked. */
  expires_at?: string
}

/** The one who started the host. */
export const owner: Grant = { id: "owner", name: "owner", roles: ["admin"], scope: {} }

export const may = (grant: Grant, permission: Permission): boolean =>
  grant.roles.some((role) => permitted[role].includes(permission))

export const isScoped = ({ scope }: Grant): boolean =>
  scope.sessions !== undefined || scope.workspaces !== undefined

export type WorkspaceOf = (session_id: string) => string | undefined

export function reaches({ scope }: Grant, session_id: string, workspaceOf: WorkspaceOf): boolean {
  const { sessions, workspaces } = scope
  if (sessions === undefined && workspaces === undefined) return true
  if (sessions?.includes(session_id)) return true
  const workspace = workspaces === undefined ? undefined : workspaceOf(session_id)
  return workspace !== undefined && (workspaces?.includes(workspace) ?? false)
}

/** Whether one covers all that another one would: permissions and places; how long is another question. */
export function covers(
  grant: Grant,
  other: Pick<Grant, "roles" | "scope">,
  workspaceOf: WorkspaceOf,
): boolean {
  const permissions = other.roles.flatMap((role) => permitted[role])
  if (!permissions.every((permission) => may(grant, permission))) return false
  if (!isScoped(grant)) return true
  const { sessions, workspaces } = other.scope
  if (sessions === undefined && workspaces === undefined) return false
  return (
    (sessions ?? []).every((session_id) => reaches(grant, session_id, workspaceOf)) &&
    (workspaces ?? []).every((workspace) => grant.scope.workspaces?.includes(workspace))
  )
}

const approvals: ReadonlySet<CommandName> = new Set<CommandName>(["respond_action", "resolve_permission"])
/** They change nothing but the reader's own cursor. */
const ofReaders: ReadonlySet<CommandName> = new Set<CommandName>(["reconnect_channel", "ack_events"])

export function permissionFor(name: CommandName): Permission {
  if (approvals.has(name)) return "approve"
  return commands[name].mutates && !ofReaders.has(name) ? "operate" : "read"
}
