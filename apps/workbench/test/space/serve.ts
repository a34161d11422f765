import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { build } from "vite"
import { Previews, previewHeaders } from "../../../host/src/previews.ts"
import { contentPolicy } from "../../../host/src/security.ts"

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
}

/** The page of surfaces, built as the product is and served under its policy; `asked` is everything that was asked of it. */
export async function servePage(): Promise<{ url: string; asked: string[]; close: () => void }> {
  const outDir = mkdtempSync(join(tmpdir(), "factum-surfaces-"))
  const root = fileURLToPath(new URL("../..", import.meta.url))
  await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [react(), tailwindcss()],
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: fileURLToPath(new URL("index.html", import.meta.url)) },
    },
  })
  const asked: string[] = []
  const previews = new Previews()
  async function keep(request: IncomingMessage, response: ServerResponse) {
    let body = ""
    for await (const chunk of request) body += chunk
    const path = previews.keep((JSON.parse(body) as { html: string }).html)
    response.end(JSON.stringify({ ok: true, result: { path } }))
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname
    asked.push(path)
    if (path === "/v1/previews") return void keep(request, response)
    if (path.startsWith("/previews/"))
      return response.writeHead(200, previewHeaders).end(previews.take(path.slice("/previews/".length)))
    try {
      const file = readFileSync(join(outDir, path === "/" ? "test/space/index.html" : path))
      response.writeHead(200, {
        "content-type": `${types[extname(path === "/" ? ".html" : path)] ?? "text/html"}; charset=utf-8`,
        "content-security-policy": contentPolicy,
      })
      response.end(file)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () => {
      server.closeAllConnections()
      server.close()
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}
