import { Hono } from "hono"
import type { HostEnv } from "../env.ts"
import { type OpenApi, openApi } from "./document.ts"
import { statusTable } from "./refusals.ts"

/** The description of the control plane for programs and for people. It holds no secret, so it needs no token. */
export function referencePages() {
  const pages = new Hono<HostEnv>()
  let made: { json: string; html: string } | undefined
  const texts = () => {
    if (made !== undefined) return made
    const document = openApi()
    made = { json: JSON.stringify(document), html: page(document) }
    return made
  }
  const caching = { "cache-control": "no-cache" }

  pages.get("/v1/openapi.json", (c) =>
    c.body(texts().json, 200, { "content-type": "application/json", ...caching }),
  )
  pages.get("/reference", (c) => c.html(texts().html, 200, caching))
  pages.get("/reference.css", (c) =>
    c.body(style, 200, { "content-type": "text/css; charset=utf-8", ...caching }),
  )
  return pages
}

function page({ info, tags, paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const sections = tags.map(({ name, description }) => {
    const members = operations.filter((operation) => operation.tags.includes(name))
    return `<section id="${name}"><h2>${name}</h2><p>${escaped(description)}</p>${members.map(entry).join("")}</section>`
  })
  const links = tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join(" ")
  const codes = statusTable().map(
    ({ code, status }) => `<tr><td><code>${code}</code></td><td>${status}</td></tr>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(info.title)} reference</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/reference.css">
<h1>${escaped(info.title)} ${escaped(info.version)}</h1><p>${escaped(info.description)}
The same for programs: <a href="/v1/openapi.json">/v1/openapi.json</a>.</p><nav>${links} <a href="#codes">codes</a></nav>
${sections.join("\n")}
<section id="codes"><h2>codes</h2><p>What a refusal says, and its status.</p><table>${codes.join("")}</table></section></html>`
}

type Entry = OpenApi["paths"][string][string] & { path: string; method: string }

function entry({ path, method, operationId, summary, parameters, requestBody, responses }: Entry): string {
  const detail = { ...(parameters && { parameters }), ...(requestBody && { requestBody }), responses }
  return `<details id="${operationId}"><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code>
<span>${escaped(summary)}</span></summary><pre>${escaped(JSON.stringify(detail, null, 2))}</pre></details>`
}

const marks: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark)

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
nav a { margin-right: 1rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
summary span { opacity: 0.75; }
pre { overflow: auto; max-height: 30rem; padding: 1rem; border: 1px solid; border-radius: 0.25rem; }
td { padding-right: 2rem; }
`
