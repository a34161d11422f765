import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Host, startHost } from "../src/host.ts"
import { type Answered, ask, result, saying } from "./asking.ts"
import { temporaryDirectory } from "./hosting.ts"

const data = temporaryDirectory()
const project = temporaryDirectory()
let host: Host
let session_id = ""

beforeAll(async () => {
  host = await start()
  const input = { create: "session", input: saying("Hello") }
  session_id = (await result(send("POST", "commands/submit_turn", { input }))).session_id ?? ""
})
afterAll(async () => {
  await host.close()
  data.remove()
  project.remove()
})

async function start(): Promise<Host> {
  const script = parseScript('{"on":""}\n{"text":"Yes."}')
  if (!script.ok) throw new Error(script.message)
  const model = scriptedModel(script.scenes)
  const started = await startHost({ directory: data.path, model, port: 0, project: project.path })
  if (!started.ok) throw new Error(JSON.stringify(started))
  return started
}

function send(method: string, path: string, body?: unknown): Promise<Answered> {
  const headers = { authorization: `Bearer ${host.token}` }
  return ask(`${host.url}v1/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const made = async (content = "one\ntwo\n", more = {}): Promise<string> =>
  (await result(send("POST", "artifacts", { session_id, title: "Plan", content, ...more }))).artifact_id ?? ""

const json = (answer: Answered) => answer.json as Record<string, never>
const refusal = async (answer: Promise<Answered>) => {
  const { status, json } = await answer
  const { code, field } = (json as { refusal: { code: string; field?: string } }).refusal
  return { status, code, ...(field && { field }) }
}

describe("artifacts over HTTP", () => {
  it("made, listed, read, edited, compared, rolled back, deleted; each change is told to the session", async () => {
    const id = await made()
    const edit = { base_version: "1", content: "one\n2\n" }
    expect(await result(send("PUT", `artifacts/${id}`, edit))).toMatchObject({
      version: "2",
      change: "updated",
    })
    const listed = json(await send("GET", `artifacts?session_id=${session_id}&limit=1`)) as unknown as {
      result: { artifacts: { artifact_id: string }[] }
    }
    expect(listed.result.artifacts).toMatchObject([{ artifact_id: id, version: "2", kind: "document" }])
    expect((await send("GET", `artifacts/${id}/content?version=1`)).bytes.toString()).toBe("one\ntwo\n")
    expect(await result(send("GET", `artifacts/${id}/diff?from=1&to=2`))).toMatchObject({
      added: 1,
      removed: 1,
    })
    const back = send("POST", `artifacts/${id}/rollback`, { to_version: "1", base_version: "2" })
    expect(await result(back)).toMatchObject({ version: "3" })
    const versions = await result(send("GET", `artifacts/${id}/versions`))
    expect(versions.versions).toMatchObject([
      { change: "produced" },
      { change: "updated" },
      { change: "rolled_back" },
    ])
    expect(await result(send("DELETE", `artifacts/${id}`))).toMatchObject({ change: "removed" })
    expect(await result(send("GET", `artifacts/${id}`))).toMatchObject({ status: "removed" })
    expect(await refusal(send("GET", `artifacts/${id}/content`))).toEqual({
      status: 409,
      code: "wrong_state",
    })
    const read = await result(send("POST", "commands/get_session", { input: { session_id } }))
    const history = read.history as unknown as { type: string; payload: Record<string, string> }[]
    const told = history.filter(
      ({ type, payload }) => type === "artifact.changed" && payload.artifact_id === id,
    )
    expect(told.map(({ payload }) => `${payload.change} ${payload.version}`)).toEqual([
      "produced 1",
      "updated 2",
      "updated 3",
      "removed 3",
    ])
  })

  it("content never runs as a page of the host", async () => {
    const id = await made("<script>alert(1)</script>", { media_type: "text/html" })
    const { headers } = await send("GET", `artifacts/${id}/content`)
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
    })
  })

  it("a save from an old version is a conflict that gives the edit back, and the confirmed version stays", async () => {
    const id = await made()
    await result(send("PUT", `artifacts/${id}`, { base_version: "1", content: "theirs" }))
    const answer = await send("PUT", `artifacts/${id}`, { base_version: "1", content: "mine" })
    expect(answer.status).toBe(409)
    expect(answer.json).toMatchObject({
      ok: false,
      refusal: {
        code: "conflict",
        state: "2",
        fix: "Look at version 2, then save again with base_version 2.",
      },
      current_version: "2",
    })
    const { edit_ref } = answer.json as { edit_ref: { digest: string } }
    expect((await send("GET", `blobs/${edit_ref.digest}`)).bytes.toString()).toBe("mine")
    expect((await send("GET", `artifacts/${id}/content`)).bytes.toString()).toBe("theirs")
  })

  it("large or binary content comes from the blobs", async () => {
    const headers = { authorization: `Bearer ${host.token}`, "content-type": "image/png" }
    const bytes = Buffer.alloc(2_000_000, 7)
    const blob = await ask(`${host.url}v1/blobs`, { headers, body: bytes })
    const { result: stored } = blob.json as { result: { digest: string; ref: unknown } }
    expect(stored.ref).toMatchObject({
      uri: `blob:${stored.digest}`,
      media_type: "image/png",
      bytes: 2_000_000,
    })
    const draft = { session_id, title: "Picture", media_type: "image/png", content_digest: stored.digest }
    const id = (await result(send("POST", "artifacts", draft))).artifact_id
    expect((await send("GET", `artifacts/${id}/content`)).bytes.equals(bytes)).toBe(true)
  })

  it("a change sent again under its command_id is made once", async () => {
    const body = { session_id, title: "Once", content: "x", command_id: "cmd_a1" }
    const first = await result(send("POST", "artifacts", body))
    expect(await result(send("POST", "artifacts", body))).toEqual(first)
    expect(await refusal(send("POST", "artifacts", { ...body, content: "y" }))).toMatchObject({
      code: "conflict",
    })
  })

  it("survives a restart of the host", async () => {
    const id = await made("kept\n")
    await host.close()
    host = await start()
    expect((await send("GET", `artifacts/${id}/content`)).bytes.toString()).toBe("kept\n")
  })

  it.each([
    ["GET", "artifacts/art_x", undefined, 404, "not_found", "artifact_id"],
    ["GET", "artifacts/art_x/versions", undefined, 404, "not_found", "artifact_id"],
    ["GET", "artifacts/art_x/content", undefined, 404, "not_found", undefined],
    ["PUT", "artifacts/art_x", { base_version: "1", content: "x" }, 404, "not_found", "artifact_id"],
    ["PUT", "artifacts/art_x", { content: "x" }, 400, "invalid_input", "base_version"],
    ["POST", "artifacts/art_x/rollback", { to_version: "one" }, 400, "invalid_input", "to_version"],
    ["POST", "artifacts/art_x/export", { where: "a" }, 400, "invalid_input", "where"],
    ["DELETE", "artifacts/art_x", undefined, 404, "not_found", "artifact_id"],
    ["GET", "artifacts/art_x/diff?from=1", undefined, 400, "invalid_input", "to"],
    ["GET", "artifacts?limit=0", undefined, 400, "invalid_input", "limit"],
    ["GET", "artifacts?before=soon", undefined, 400, "invalid_input", "before"],
    ["POST", "artifacts", { session_id: "ses_x", title: "T", content: "" }, 422, "scope_mismatch", undefined],
    ["POST", "artifacts", { session_id: "ses_x", title: "T" }, 400, "invalid_input", "content"],
    [
      "POST",
      "artifacts",
      { session_id: "ses_x", title: "T", content_digest: "x" },
      404,
      "not_found",
      "content_digest",
    ],
  ])("is refused in a structured way: %s %s %j", async (method, path, body, status, code, field) => {
    expect(await refusal(send(method, path, body))).toEqual({ status, code, ...(field && { field }) })
  })

  it("asks for the token like everything else", async () => {
    const headers = { authorization: undefined }
    expect((await ask(`${host.url}v1/artifacts`, { headers })).status).toBe(401)
    expect((await ask(`${host.url}v1/credentials`, { headers, body: "{}" })).status).toBe(401)
  })
})

describe("export", () => {
  it("gives a ref to download, or writes a file in the project", async () => {
    const id = await made("text\n")
    const { download_ref } = (await result(send("POST", `artifacts/${id}/export`, {}))) as unknown as {
      download_ref: { digest: string }
    }
    expect((await send("GET", `blobs/${download_ref.digest}`)).bytes.toString()).toBe("text\n")
    const to = { path: "docs/plan.md" }
    expect(await result(send("POST", `artifacts/${id}/export`, to))).toMatchObject({
      path: "docs/plan.md",
      bytes: 5,
    })
    expect(readFileSync(join(project.path, "docs/plan.md"), "utf8")).toBe("text\n")
  })

  it("of a file in the project needs the role of an approver, which driving an agent does not give", async () => {
    const id = await made("text\n")
    const issue = { name: "o", roles: ["operator"] }
    const { token } = await result(send("POST", "tokens", issue))
    const asOperator = (body: object) =>
      ask(`${host.url}v1/artifacts/${id}/export`, {
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      })
    expect(await refusal(asOperator({ path: "package.json", overwrite: true }))).toEqual({
      status: 403,
      code: "not_permitted",
      field: "Authorization",
    })
    expect(existsSync(join(project.path, "package.json"))).toBe(false)
    expect((await asOperator({})).status).toBe(200)
    const approving = await result(send("POST", "tokens", { name: "a", roles: ["operator", "approver"] }))
    const done = await ask(`${host.url}v1/artifacts/${id}/export`, {
      headers: { authorization: `Bearer ${approving.token}` },
      body: JSON.stringify({ path: "by-approver.txt" }),
    })
    expect(done.status).toBe(200)
  })

  it("writes over nothing unless it is told to", async () => {
    const id = await made("new")
    writeFileSync(join(project.path, "mine.txt"), "old")
    const to = { path: "mine.txt" }
    expect(await refusal(send("POST", `artifacts/${id}/export`, to))).toMatchObject({
      status: 409,
      code: "conflict",
    })
    expect(readFileSync(join(project.path, "mine.txt"), "utf8")).toBe("old")
    await result(send("POST", `artifacts/${id}/export`, { ...to, overwrite: true }))
    expect(readFileSync(join(project.path, "mine.txt"), "utf8")).toBe("new")
  })

  it.each([
    "/etc/x",
    "../x",
    "a/../../x",
    "out/x",
    ".git/hooks/pre-commit",
    ".GIT/hooks/pre-commit",
    ".git./config",
    "sub/.Mcp.json",
    "Factum.Config.json",
    "factum.config.json",
    "C:\\x",
    ".",
  ])("does not leave the project, nor write what is run or allowed: %s", async (path) => {
    const outside = temporaryDirectory()
    mkdirSync(join(project.path, ".git"), { recursive: true })
    rmSync(join(project.path, "out"), { force: true })
    symlinkSync(outside.path, join(project.path, "out"))
    const id = await made()
    const done = send("POST", `artifacts/${id}/export`, { path, overwrite: true })
    expect(await refusal(done)).toEqual({ status: 403, code: "not_permitted", field: "path" })
    expect(existsSync(join(outside.path, "x"))).toBe(false)
    outside.remove()
  })
})

describe("credentials over HTTP", () => {
  it("a value becomes a ref, and is masked from then on", async () => {
    const gift = { session_id, name: "GH_TOKEN", value: "hunter2-hunter2" }
    const { ref } = (await result(send("POST", "credentials", gift))) as unknown as { ref: { uri: string } }
    expect(ref.uri).toMatch(/^capability:credential\//)
    const input = { session_id, input: saying("it is hunter2-hunter2") }
    await result(send("POST", "commands/submit_turn", { input }))
    const read = await send("POST", "commands/get_session", { input: { session_id } })
    expect(read.bytes.toString()).not.toContain("hunter2-hunter2")
    expect(read.bytes.toString()).toContain("[redacted:GH_TOKEN]")
  })

  it.each([
    [{ session_id: "ses_x", name: "A_TOKEN", value: "long enough" }, "not_found", "session_id"],
    [{ name: "A_TOKEN", value: "long enough" }, "invalid_input", "session_id"],
    [{ session_id: "ses_x", name: "a token", value: "long enough" }, "invalid_input", "name"],
  ])("is refused: %j", async (body, code, field) => {
    expect(await refusal(send("POST", "credentials", body))).toMatchObject({ code, field })
  })
})
