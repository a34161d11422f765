import { describe, expect, it } from "vitest"
import { ends, facts, openRuntime, refused, submit, until } from "../harness.ts"
import { modelOf } from "../models/asking.ts"
import { serve } from "../models/server.ts"
import { dialects } from "../models/wire.ts"
import { agentWith, linesModel } from "./given.ts"

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")

async function opened(accepts?: (media_type: string) => boolean) {
  const { model, calls } = linesModel([{ text: "Seen." }])
  const seeing = accepts === undefined ? model : { ...model, accepts }
  return { ...(await openRuntime(seeing, { agent: agentWith([]) })), calls }
}

async function kept(
  runtime: Awaited<ReturnType<typeof opened>>["runtime"],
  bytes: Uint8Array,
  media_type: string,
) {
  const stored = await runtime.blobs.put(bytes)
  if (!("digest" in stored)) throw new Error(stored.reason)
  const { digest } = stored
  return { uri: `blob:${digest}`, kind: "blob", digest, bytes: bytes.byteLength, media_type, title: "a file" }
}

const input = (part: unknown) => [{ kind: "text", text: "Look" }, part]

describe("attachments reach the model", () => {
  it.each(["image", "audio", "video", "document"])("%s: as bytes, when it accepts them", async (kind) => {
    const media_type = kind === "document" ? "application/pdf" : `${kind}/x`
    const { runtime, calls } = await opened((type) => type === media_type)
    const ref = await kept(runtime, png, media_type)
    const { session_id } = await submit(runtime, "", { input: input({ kind, ref }) })
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls[0]?.messages[0]?.parts).toEqual([
      { kind: "text", text: "Look" },
      { kind: "file", media_type, bytes: new Uint8Array(png), name: "a file" },
    ])
    expect(JSON.stringify(facts(runtime, session_id))).not.toContain(png.toString("base64"))
  })

  it("a document that is text reaches every model, as text", async () => {
    const { runtime, calls } = await opened()
    const ref = await kept(runtime, Buffer.from("a,b\n1,2"), "text/csv")
    const { session_id } = await submit(runtime, "", { input: input({ kind: "document", ref }) })
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls[0]?.messages[0]?.parts).toContainEqual({
      kind: "text",
      text: "[document: a file]\na,b\n1,2",
    })
  })

  it("what a model does not accept stays a ref, which is only named to it", async () => {
    const { runtime, calls } = await opened(() => false)
    const ref = await kept(runtime, png, "image/png")
    const { session_id } = await submit(runtime, "", { input: input({ kind: "image", ref }) })
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls[0]?.messages[0]?.parts).toContainEqual({ kind: "image", ref })
  })

  it("a sensitive one is never read, whatever the model accepts", async () => {
    const { runtime, calls } = await opened(() => true)
    const ref = { uri: "capability:hr/42", kind: "context", title: "salaries", media_type: "application/pdf" }
    const part = { kind: "business", ref, sensitive: true }
    const { session_id } = await submit(runtime, "", { input: input(part) })
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls[0]?.messages[0]?.parts).toContainEqual(part)
  })

  it.each(dialects)(
    "$name: the image is in the request as the provider wants it",
    async ({ config, frames }) => {
      await using server = await serve({ frames: frames([{ text: ["Seen."] }]) })
      const { runtime } = await openRuntime(modelOf(config(server.url)), { agent: agentWith([]) })
      const ref = await kept(runtime, png, "image/png")
      const { session_id } = await submit(runtime, "", { input: input({ kind: "image", ref }) })
      await until(runtime, session_id, ends("turn.completed"))
      expect(JSON.stringify(server.received[0]?.body)).toContain(png.toString("base64"))
    },
  )

  it.each(dialects)("$name: what it cannot read is named", async ({ config, frames }) => {
    await using server = await serve({ frames: frames([{ text: ["Hm."] }]) })
    const { runtime } = await openRuntime(modelOf(config(server.url)), { agent: agentWith([]) })
    const ref = await kept(runtime, png, "application/zip")
    const { session_id } = await submit(runtime, "", { input: input({ kind: "document", ref }) })
    await until(runtime, session_id, ends("turn.completed"))
    const sent = JSON.stringify(server.received[0]?.body)
    expect(sent).toContain("attached, but not readable here: document, a file, application/zip")
    expect(sent).not.toContain(png.toString("base64"))
  })
})

describe("what may not enter", () => {
  const blob = `blob:sha256:${"0".repeat(64)}`
  it.each([
    [
      "a path of this machine",
      { kind: "document", ref: { uri: "/etc/passwd", kind: "blob" } },
      "not_permitted",
      "uri",
    ],
    [
      "a file address",
      { kind: "image", ref: { uri: "file:///tmp/a.png", kind: "blob" } },
      "not_permitted",
      "uri",
    ],
    ["a path of Windows", { kind: "image", ref: { uri: "C:\\a.png", kind: "blob" } }, "not_permitted", "uri"],
    ["a relative path", { kind: "image", ref: { uri: "a.png", kind: "blob" } }, "not_permitted", "uri"],
    [
      "bytes in a ref",
      { kind: "image", ref: { uri: "data:image/png;base64,AA", kind: "blob" } },
      "invalid_input",
      "uri",
    ],
    [
      "an unknown scheme",
      { kind: "image", ref: { uri: "gopher://x/", kind: "blob" } },
      "invalid_input",
      "uri",
    ],
    ["a blob that is not there", { kind: "image", ref: { uri: blob, kind: "blob" } }, "not_found", "uri"],
    [
      "a blob under a wrong name",
      { kind: "image", ref: { uri: "blob:x", kind: "blob" } },
      "invalid_input",
      "uri",
    ],
    [
      "two digests",
      { kind: "image", ref: { uri: blob, digest: `sha256:${"1".repeat(64)}`, kind: "blob" } },
      "invalid_input",
      "uri",
    ],
    [
      "a sensitive one in the open",
      { kind: "business", sensitive: true, ref: { uri: "https://crm.example/7", kind: "context" } },
      "not_permitted",
      "uri",
    ],
    [
      "a picture that is none",
      { kind: "image", ref: { uri: "business:crm/7", kind: "context", media_type: "text/html" } },
      "invalid_input",
      "media_type",
    ],
  ])("%s", async (_, part, code, field) => {
    const { runtime } = await opened()
    const body = { input: { create: "session", input: input(part) } }
    expect(await refused(runtime, "submit_turn", body)).toMatchObject({
      code,
      field: `input.input.1.ref.${field}`,
    })
    expect(runtime.log.streams({ limit: 5 }).filter(({ stream }) => stream.startsWith("ses_"))).toEqual([])
  })

  it("a text that is no message any more, with the way to send it", async () => {
    const { runtime } = await opened()
    const body = { input: { create: "session", input: [{ kind: "text", text: "x".repeat(262_145) }] } }
    const refusal = await refused(runtime, "submit_turn", body)
    expect(refusal).toMatchObject({ code: "too_large", field: "input.input.0.text" })
    expect(refusal.fix).toContain("/v1/blobs")
  })
})
