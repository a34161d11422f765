import { readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { Hono } from "hono"
import { refuse } from "./refusal.ts"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
}

/** Plain names only: nothing hidden, nothing encoded, no way up. */
const plainPath = /^(\/[\w@-][\w.@-]*)+$/

/** The built workbench. It holds no secret, so it needs no token. */
export function workbenchPages(directory: string) {
  const pages = new Hono()

  pages.get("*", async (c) => {
    const path = c.req.path === "/" ? "/index.html" : c.req.path
    const bytes = plainPath.test(path) ? await read(join(directory, path)) : undefined
    if (bytes) {
      const type = types[extname(path)] ?? "application/octet-stream"
      return c.body(bytes, 200, { "content-type": type, "cache-control": caching(path) })
    }
    if (path !== "/index.html") {
      return refuse(c, { code: "not_found", message: `There is no page ${path}.`, field: "path" })
    }
    return c.text("The workbench is not built: stop Factum and start it with `npm start`.\n", 503)
  })

  return pages
}

/** The names of assets change with their content; the page that names them must always be asked for. */
function caching(path: string): string {
  if (path.startsWith("/assets/")) return "public, max-age=31536000, immutable"
  return path === "/index.html" ? "no-store" : "no-cache"
}

async function read(path: string) {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}
