/** A configured server. Variables in its fields are expanded already. */
export type McpServer = {
  name: string
  /** The time for starting it and asking for its tools. */
  connect_timeout_ms?: number
  /** The time for one call. */
  call_timeout_ms?: number
} & (
  | {
      transport: "stdio"
      command: string
      args?: readonly string[]
      /** Beside PATH and HOME, all that the server sees of the environment. */
      env?: Readonly<Record<string, string>>
      cwd?: string
    }
  | { transport: "http"; url: string; headers?: Readonly<Record<string, string>> }
)

export const defaultConnectMs = 30_000
export const defaultCallMs = 300_000

/** What the server was given and must not show up in a message. */
export function secretsOf(server: McpServer): Record<string, string> {
  return { ...(server.transport === "stdio" ? server.env : server.headers) }
}
