import { hash } from "node:crypto"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { expired, readRef, spill } from "../../src/outputs/spill.ts"
import { head, textOf, unfinished } from "../../src/outputs/text.ts"
import type { BlobStore } from "../../src/ports/log.ts"
import { createRedactor } from "../../src/redact.ts"
import { folder, recording } from "../processes/given.ts"

const full: BlobStore = {
  put: async () => ({ ok: false, reason: "no space left" }),
  read: async () => undefined,
  receive: async () => ({ ok: false, code: "write_failed", reason: "no space left" }),
  get: () => undefined,
}
const digestOf = (bytes: Uint8Array | string) => `sha256:${hash("sha256", bytes)}`

describe("text", () => {
  const limit = 1_000
  it.each([
    ["below", 999, false],
    ["at", 1_000, false],
    ["above", 1_001, true],
  ])("[RT-OUT-1] ASCII just %s the limit", async (_, size, spills) => {
    const blobs = new FileBlobs(folder())
    const text = "a".repeat(size)
    const { ref, preview, facts, bytes, digest } = await spill(text, blobs, { limit, preview_bytes: 100 })
    expect({ bytes, digest, spilled: facts.length }).toEqual({
      bytes: size,
      digest: digestOf(text),
      spilled: spills ? 1 : 0,
    })
    expect(preview).toEqual(spills ? { text: "a".repeat(100), whole: false } : { text, whole: true })
    expect(ref === undefined ? undefined : readRef(ref, blobs)).toEqual(
      spills ? { ok: true, bytes: new Uint8Array(Buffer.from(text)) } : undefined,
    )
  })

  it.each([
    ["below", 249, false],
    ["at", 250, false],
    ["above", 251, true],
  ])("[RT-OUT-1] sizes are real bytes: four-byte characters just %s the limit", async (_, count, spills) => {
    const { ref, bytes, preview } = await spill("🥊".repeat(count), new FileBlobs(folder()), {
      limit,
      preview_bytes: 102,
    })
    expect(bytes).toBe(count * 4)
    expect(ref?.bytes).toBe(spills ? count * 4 : undefined)
    if (spills) expect(preview.text).toBe("🥊".repeat(25))
  })

  it.each([
    ["bytes of a character", "€€€", 7, "€€"],
    ["a surrogate pair", "a🥊b", 4, "a"],
    ["a letter and its accent", "cafe\u0301s", 4, "caf"],
    ["a family", "x👩‍👩‍👧y", 12, "x"],
    ["a flag", "ab🇩🇪", 6, "ab"],
    ["nothing", "abc", 2, "ab"],
  ])("[RT-OUT-1] a preview does not split %s", (_, text, room, shown) => {
    expect(head(text, room)).toBe(shown)
  })

  it("[RT-EVT-29] a spill tells ref, size, digest, preview and cause, and no truncation", async () => {
    const facts = recording()
    const text = "x".repeat(9_000)
    const spilled = await spill(text, new FileBlobs(folder()))
    await facts.record(spilled.facts)
    expect(facts.all).toEqual([
      {
        type: "output.spilled",
        payload: {
          ref: {
            uri: `blob:${digestOf(text)}`,
            kind: "output",
            digest: digestOf(text),
            bytes: 9_000,
            media_type: "text/plain",
          },
          bytes: 9_000,
          digest: digestOf(text),
          preview: { text: "x".repeat(2_048), whole: false },
          cause: "size",
        },
      },
    ])
  })

  it("[RT-EVT-29] a masked secret is a fact with rule and count, and is in no kept byte", async () => {
    const blobs = new FileBlobs(folder())
    const facts = recording()
    const redactor = createRedactor({ pw: "correct-horse" })
    const { ref, ...rest } = await spill(`correct-horse${"x".repeat(9_000)}correct-horse`, blobs, {
      redactor,
    })
    await facts.record(rest.facts)
    expect(facts.of("output.redacted")).toMatchObject([{ rule: "pw", count: 2, where: "output" }])
    const kept = ref && readRef(ref, blobs)
    expect(kept?.ok && Buffer.from(kept.bytes).toString().includes("correct-horse")).toBe(false)
    expect(JSON.stringify(facts.all)).not.toContain("correct-horse")
  })
})

describe("bytes that are no text", () => {
  it.each([
    ["one byte", Buffer.from([0])],
    ["below the limit", Buffer.from("GIF89a\0\xff", "latin1")],
    ["above the limit", Buffer.alloc(9_000, 0xff)],
  ])("[RT-OUT-1] are kept whole under a ref, %s, and never shown", async (_, bytes) => {
    const blobs = new FileBlobs(folder())
    const spilled = await spill(bytes, blobs)
    expect(spilled).toMatchObject({ binary: true, bytes: bytes.byteLength, digest: digestOf(bytes) })
    expect(spilled.preview.text).toMatch(/^\[\w+\/[\w.-]+, \d+ bytes\]$/)
    expect(spilled.ref && readRef(spilled.ref, blobs)).toEqual({ ok: true, bytes: new Uint8Array(bytes) })
    expect(spilled.facts).toMatchObject([{ type: "output.spilled", payload: { cause: "binary" } }])
  })

  it("are told from text", () => {
    expect(textOf(Buffer.from("tab\tcolour\x1b[31m ü\r\n"))).toBe("tab\tcolour\x1b[31m ü\r\n")
    expect(textOf(Buffer.from([0x61, 0]))).toBeUndefined()
    expect(textOf(Buffer.from([0xc3]))).toBeUndefined()
    expect(
      [[0x61], [0xc3], [0xe2, 0x82], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0xa5]].map((b) =>
        unfinished(Buffer.from(b)),
      ),
    ).toEqual([0, 1, 2, 0, 3])
  })
})

describe("what cannot be kept or read", () => {
  it("[RT-OUT-3] a failed spill is a warning and a truncation, and throws nothing", async () => {
    const facts = recording()
    const spilled = await spill("x".repeat(9_000), full)
    await facts.record(spilled.facts)
    expect(spilled.ref).toBeUndefined()
    expect(facts.of("output.truncated")).toMatchObject([{ kept_bytes: 2_048, dropped_bytes: 6_952 }])
    expect(facts.of("runtime.warning")).toMatchObject([{ code: "spill_failed" }])
    expect(facts.of("output.spilled")).toEqual([])
  })

  it.each(["expired", "damaged"])(
    "[RT-OUT-3] a ref whose bytes are %s reads unavailable with its last digest",
    async (how) => {
      const place = folder()
      const blobs = new FileBlobs(place)
      const { ref, digest } = await spill("x".repeat(9_000), blobs)
      const [name = ""] = readdirSync(place, { recursive: true })
        .map(String)
        .filter((path) => path.includes("/"))
      if (how === "expired") rmSync(join(place, name))
      else writeFileSync(join(place, name), "y")
      const found = ref && readRef(ref, new FileBlobs(place))
      expect(found).toMatchObject({
        ok: false,
        status: "unavailable",
        cause: "unreadable",
        last_digest: digest,
      })
      const facts = recording()
      if (ref && found && !found.ok) await facts.record([expired(ref, found)])
      expect(facts.of("output.expired")).toMatchObject([
        { last_digest: digest, bytes: 9_000, cause: "unreadable" },
      ])
    },
  )

  it.each([
    "blob:../../etc/passwd",
    "blob:sha256:../../x",
    "file:///etc/passwd",
    `blob:sha256:${"0".repeat(63)}/`,
  ])("[RT-OUT-3] %s reaches nothing", (uri) => {
    const asked: string[] = []
    const blobs: BlobStore = {
      ...full,
      get(digest) {
        asked.push(digest)
        return undefined
      },
    }
    expect(readRef({ uri, kind: "output" }, blobs)).toMatchObject({
      ok: false,
      cause: "missing",
      last_digest: "unknown",
    })
    expect(asked).toEqual([])
  })

  it("[RT-OUT-3] a ref whose address and digest differ is damaged", () => {
    const ref = { uri: `blob:${digestOf("a")}`, kind: "output" as const, digest: digestOf("b") }
    expect(readRef(ref, full)).toMatchObject({ ok: false, cause: "damaged", last_digest: digestOf("b") })
  })
})
