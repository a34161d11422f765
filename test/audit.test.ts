import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, expect, test } from "vitest"

const script = new URL("../scripts/audit.ts", import.meta.url).pathname
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const version: string = manifest.dependencies.zod
/** npm asks which versions there are, to see which an advisory is about. */
const zod = {
  name: "zod",
  "dist-tags": { latest: version },
  versions: { [version]: { name: "zod", version } },
}
let registry: Server
/** npm keeps what it learned of an advisory. */
let cache: string
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "factum-audit-"))
})
afterEach(() => {
  registry.close()
  rmSync(cache, { recursive: true, force: true })
})

/** The real command against a registry that answers audits like this. */
async function auditWith(status: number, advisories: unknown): Promise<{ code: number | null; out: string }> {
  registry = createServer((request, response) => {
    const isAudit = request.url?.endsWith("/advisories/bulk") === true
    request.resume()
    const isZod = request.url === "/zod"
    response.writeHead(isAudit ? status : isZod ? 200 : 404, { "content-type": "application/json" })
    response.end(JSON.stringify(isAudit ? advisories : isZod ? zod : {}))
  })
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, npm_config_registry: url, npm_config_fetch_retries: "0", npm_config_cache: cache },
  })
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve))
  return { out: await text(child.stdout), code: await exited }
}

const advisory = (severity: string) => ({
  zod: [
    {
      id: 1,
      url: "https://example.org/1",
      title: "Reads too much",
      severity,
      vulnerable_versions: "<999.0.0",
    },
  ],
})

test("nothing grave ends with 0 and says how many packages were looked at", async () => {
  const { code, out } = await auditWith(200, advisory("moderate"))
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^[1-9]\d* packages audited: 0 with high or critical advisories.\n$/),
  })
}, 120_000)

test("a high advisory of a package that is shipped ends with 1 and is named", async () => {
  const { code, out } = await auditWith(200, advisory("high"))
  expect(code).toBe(1)
  expect(out).toContain("high zod *\n  Reads too much https://example.org/1\n")
}, 120_000)

test("a registry that answers no audits is told, and is no clean result", async () => {
  const { code, out } = await auditWith(405, {})
  expect(code).toBe(2)
  expect(out).toContain("Not audited: the registry does not answer audits (405 Method Not Allowed")
}, 120_000)
