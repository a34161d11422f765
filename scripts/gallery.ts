import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize, sep } from "node:path"
import { fileURLToPath } from "node:url"
// A surface that breaks what it is served under breaks here first.
import { contentPolicy } from "../apps/host/src/security.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const traces = join(root, "packages/conformance/traces")
const usual = join(root, "apps/workbench/gallery/dist")

const kinds: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".jsonl": "application/x-ndjson; charset=utf-8",
  ".svg": "image/svg+xml",
}
/** Builds the gallery beside the page; it is no part of the page's own build. */
export function buildGallery(folder = usual): void {
  const vite = join(root, "node_modules/vite/bin/vite.js")
  const config = join(root, "apps/workbench/vite.gallery.config.ts")
  const { status, stderr } = spawnSync(
    process.execPath,
    [vite, "build", "--config", config, "--outDir", folder, "--logLevel", "warn"],
    {
      cwd: root,
      encoding: "utf8",
      timeout: 300_000,
    },
  )
  if (status !== 0) throw new Error(`The gallery could not be built:\n${stderr}`)
}

/** Serves the built gallery and the recorded traces, on loopback only. */
export async function serveGallery(
  folder = usual,
  port = 0,
): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    response.setHeader("content-security-policy", contentPolicy)
    response.setHeader("cache-control", "no-store")
    if (pathname === "/traces/") {
      response.setHeader("content-type", "application/json")
      return response.end(JSON.stringify(readdirSync(traces).sort()))
    }
    const file = fileFor(folder, pathname)
    if (file === undefined) return response.writeHead(404).end("There is nothing here.")
    response.setHeader("content-type", kinds[extname(file)] ?? "application/octet-stream")
    response.end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function fileFor(built: string, pathname: string): string | undefined {
  const [folder, rest] = pathname.startsWith("/traces/")
    ? [traces, pathname.slice("/traces/".length)]
    : [built, pathname === "/" ? "gallery.html" : pathname.slice(1)]
  const file = normalize(join(folder, decodeURIComponent(rest)))
  return file.startsWith(folder + sep) && existsSync(file) && extname(file) !== "" ? file : undefined
}

/** Drives the real host through the demonstrations and replaces the pictures of the README. */
function takeShots(): number {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const { status } = spawnSync(process.execPath, [vitest, "run", "apps/workbench/test/shots.test.ts"], {
    cwd: root,
    stdio: "inherit",
    timeout: 1_200_000,
    env: { ...process.env, FACTUM_SHOTS: "1" },
  })
  return status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--shots")) process.exit(takeShots())
  buildGallery()
  const { origin } = await serveGallery(usual, Number(process.env.PORT ?? 4174))
  console.log(`The gallery is at ${origin}/`)
}
