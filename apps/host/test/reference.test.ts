import { commands, refusalCodes } from "@factum/facts"
import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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

  it("describes routes that exist", async () => {
    const { paths } = openApi()
    for (const [path, methods] of Object.entries(paths as OpenApi["paths"])) {
      for (const method of Object.keys(methods)) {
        const url = `${host.url}${path.replaceAll(/\{\w+\}/g, "x")}`
        const body = method === "post" ? { body: "{}" } : {}
        const answer = await asked(url, { method: method.toUpperCase(), ...body })
        expect(`${method} ${path} ${answer}`).not.toContain("There is no GET")
        expect(`${method} ${path} ${answer}`).not.toContain("There is no POST")
        expect(`${method} ${path} ${answer}`).not.toContain("There is no DELETE")
      }
    }
  })
})

/** The stream of all never ends, so only its head is looked at. */
async function asked(url: string, how: { method: string; body?: string }): Promise<string> {
  if (!url.endsWith("/v1/facts")) return (await ask(url, how)).bytes.toString()
  return String((await ask(url, { method: "HEAD" })).status)
}

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
