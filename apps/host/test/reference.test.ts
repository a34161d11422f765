import { commands, refusalCodes } from "@factum/facts"
import { ownCommands } from "@factum/runtime"
import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CHANNEL_PATH } from "../src/channels/server.ts"
import { type OpenApi, openApi } from "../src/reference/document.ts"
import { refusalStatus } from "../src/refusal-status.ts"
import { ask } from "./asking.ts"
import { startTestHost, type TestHost } from "./hosting.ts"

let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(() => host.stop())

const noToken = { headers: { authorization: undefined } }

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, and is served without a token", async () => {
    const { status, json } = await ask(`${host.url}/v1/openapi.json`, noToken)
    expect(status).toBe(200)
    const validator = new Validator()
    const { valid, errors } = await validator.validate(json as Record<string, unknown>)
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe("3.1")
  })

  it("has every command of the table, with its refusals by status", () => {
    const { paths } = openApi()
    for (const [name, { refusals }] of Object.entries(commands)) {
      const operation = paths[`/v1/commands/${name}`]?.post
      expect(operation?.operationId).toBe(name)
      for (const code of refusals) expect(operation?.responses).toHaveProperty(String(refusalStatus[code]))
    }
  })

  it("names nothing that is not there", async () => {
    const document = openApi()
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "")
    expect(refs.length).toBeGreaterThan(10)
    for (const ref of refs) expect(ref).toMatch(/^#\/components\/schemas\/\w+$/)
    const schemas = document.components.schemas as Record<string, unknown>
    for (const ref of refs) expect(schemas).toHaveProperty(ref.split("/").at(-1) ?? "")
  })

  it("describes every route that there is, and none that there is not", () => {
    const methods = (path: string, more: object) => Object.keys(more).map((method) => `${method} ${path}`)
    const described = Object.entries(openApi().paths).flatMap(([path, more]) => methods(path, more))
    const served = host.routes
      // What is passed on the way to a route is registered for all methods.
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/"))
      .flatMap(({ method, path }) => {
        const names =
          path === "/v1/commands/:name" ? [...Object.keys(commands), ...Object.keys(ownCommands)] : [""]
        return names.map((name) => `${method.toLowerCase()} ${path.replace(":name", name || ":name")}`)
      })
      .map((route) => route.replaceAll(/:\w+/g, "{}"))
    // A WebSocket is no route but an upgrade of the connection.
    const expected = [...new Set([...served, `get ${CHANNEL_PATH}`])].sort()
    expect(described.map((route) => route.replaceAll(/\{\w+\}/g, "{}")).sort()).toEqual(expected)
    expect(expected.length).toBeGreaterThan(60)
  })

  it("describes what is answered there with a code that it names", async () => {
    for (const [path, methods] of Object.entries(openApi().paths as OpenApi["paths"])) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const url = `${host.url}${path.replaceAll(/\{\w+\}/g, "x")}`
        const isStream = "text/event-stream" in ((responses[200] as Content | undefined)?.content ?? {})
        const how = isStream && method === "get" ? "HEAD" : method.toUpperCase()
        const { status } = await ask(url, { method: how, ...(method[0] === "p" && { body: "{}" }) })
        // Without an upgrade there is no channel.
        const known = path === CHANNEL_PATH ? [404] : Object.keys(responses).map(Number)
        expect({ [`${method} ${path}`]: known.includes(status) || status }).toEqual({
          [`${method} ${path}`]: true,
        })
      }
    }
  })

  it("says under which licence it is, and where it holds", () => {
    const { info, servers } = openApi()
    expect(info.license.identifier).toBe("Apache-2.0")
    expect(servers).toEqual([{ url: "/", description: expect.any(String) }])
  })

  it("gives every operation a name of its own, a tag that is described, and all parameters of its path", () => {
    const { paths, tags } = openApi()
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    )
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    const known = tags.map(({ name }) => name)
    for (const { path, tags: own, parameters = [], summary, responses } of operations) {
      expect(known).toEqual(expect.arrayContaining([...own]))
      const named = parameters.flatMap(({ in: place, name }) => (place === "path" ? [`{${name}}`] : []))
      expect(named.sort()).toEqual([...path.matchAll(/\{\w+\}/g)].map(([name]) => name).sort())
      expect(summary).not.toBe("")
      expect(Object.keys(responses).some((status) => status.startsWith("4"))).toBe(true)
    }
  })
})

type Content = { content?: Readonly<Record<string, unknown>> }

describe("the reference page", () => {
  it("shows every command and code and loads nothing from elsewhere", async () => {
    const { headers, bytes } = await ask(`${host.url}/reference`, noToken)
    const html = bytes.toString()
    expect(headers["content-security-policy"]).toContain("default-src 'self'")
    for (const name of Object.keys(commands)) expect(html).toContain(`id="${name}"`)
    for (const code of refusalCodes) expect(html).toContain(`<code>${code}</code>`)
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(html).not.toMatch(/<script|style="|<style/)
    expect((await ask(`${host.url}/reference.css`, noToken)).headers["content-type"]).toContain("text/css")
  })
})
