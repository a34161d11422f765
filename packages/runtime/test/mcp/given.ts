import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { validateDraft } from "@factum/facts"
import { expect, onTestFinished } from "vitest"
import { type McpServer, type McpTools, mcpTools } from "../../src/adapters/mcp/index.ts"
import type { Tool, ToolFact, ToolRun } from "../../src/ports/tool.ts"

const modules = join(import.meta.dirname, "../../../../node_modules")
const everythingScript = join(modules, "@modelcontextprotocol/server-everything/dist/index.js")
const filesystemScript = join(modules, "@modelcontextprotocol/server-filesystem/dist/index.js")

type Stdio = Extract<McpServer, { transport: "stdio" }>
const stdio = (name: string, args: string[], more: Partial<Stdio> = {}): Stdio => ({
  name,
  transport: "stdio",
  command: process.execPath,
  args,
  ...more,
})
export const everything = (more: Partial<Stdio> = {}) =>
  stdio("everything", [everythingScript, "stdio"], more)
export const filesystem = (folder: string) => stdio("files", [filesystemScript, folder])

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A server of our own making, for what the published ones never do. */
export function scripted(code: string, more: Partial<Stdio> = {}): Stdio {
  const file = join(tempFolder(), "server.mjs")
  const sdk = join(modules, "@modelcontextprotocol/sdk/dist/esm")
  writeFileSync(
    file,
    `import { Server } from "${sdk}/server/index.js"
     import { StdioServerTransport } from "${sdk}/server/stdio.js"
     import { CallToolRequestSchema, ListToolsRequestSchema } from "${sdk}/types.js"
     const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: { listChanged: true } } })
     const onList = (handle) => server.setRequestHandler(ListToolsRequestSchema, handle)
     const onCall = (handle) => server.setRequestHandler(CallToolRequestSchema, handle)
     const plain = (name) => ({ name, inputSchema: { type: "object" } })
     const text = (text) => ({ content: [{ type: "text", text }] })
     ${code}
     await server.connect(new StdioServerTransport())`,
  )
  return stdio("own", [file], more)
}

export async function open(...servers: McpServer[]): Promise<McpTools> {
  const opened = mcpTools(servers, { retry_ms: [] })
  onTestFinished(() => opened.close())
  await opened.ready
  return opened
}

export function toolNamed(from: McpTools, name: string): Tool {
  const tool = from.tools().find((one) => one.name === name)
  if (tool === undefined) throw new Error(`No tool ${name} in ${from.tools().map((one) => one.name)}`)
  return tool
}

export function aRun(more: Partial<ToolRun> = {}): ToolRun & { facts: ToolFact[] } {
  const facts: ToolFact[] = []
  const ids = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1", step_id: "s1", tool_call_id: "t1" }
  return {
    ...ids,
    attempt: 1,
    key: "k",
    cwd: "/",
    roots: [],
    boundary: { profile: "full", network: "all" },
    signal: new AbortController().signal,
    async record(told) {
      for (const fact of told) expect(validateDraft({ ...fact, ...ids })).toMatchObject({ ok: true })
      facts.push(...told)
      return true
    },
    facts,
    ...more,
  }
}

/** The everything server over streamable HTTP on a free port of loopback. */
export async function everythingOverHttp(
  port?: number,
): Promise<{ url: string; port: number; child: ChildProcess }> {
  const chosen = port ?? (await freePort())
  const child = spawn(process.execPath, [everythingScript, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: String(chosen) },
    stdio: ["ignore", "ignore", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (bytes) => String(bytes).includes("listening") && resolve())
    child.once("exit", () => reject(new Error("The server did not start.")))
  })
  return { url: `http://127.0.0.1:${chosen}/mcp`, port: chosen, child }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie waits for its parent and does nothing any more.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
