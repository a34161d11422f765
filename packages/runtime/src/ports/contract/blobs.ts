import { createHash, randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { given, type OpenStore } from "./given.ts"

const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

export function blobContract(open: OpenStore) {
  it.each([
    ["nothing", 0],
    ["one byte", 1],
    ["some megabytes", 3_000_001],
  ])("[RT-ENV-10] %s: the same bytes under their hash, before and after a restart", async (_, size) => {
    const { blobs, reopen } = await given(open)
    const bytes = new Uint8Array(randomBytes(size))
    expect(await blobs.put(bytes)).toEqual({ digest: digestOf(bytes), bytes: size })
    expect(same(blobs.get(digestOf(bytes)), bytes)).toBe(true)
    expect(same((await reopen()).blobs.get(digestOf(bytes)), bytes)).toBe(true)
    expect(same(await (await reopen()).blobs.read(digestOf(bytes)), bytes)).toBe(true)
  })

  it("[RT-ENV-10] the same bytes put twice, also at once, are one blob", async () => {
    const { blobs } = await given(open)
    const bytes = new TextEncoder().encode("the same")
    const ref = { digest: digestOf(bytes), bytes: 8 }
    expect(await Promise.all([blobs.put(bytes), blobs.put(bytes), blobs.put(bytes)])).toEqual([ref, ref, ref])
    expect(await blobs.put(bytes)).toEqual(ref)
    expect(same(blobs.get(ref.digest), bytes)).toBe(true)
  })

  it("[RT-ENV-10] bytes that arrive in chunks are the same blob as when they are put", async () => {
    const { blobs, reopen } = await given(open)
    const bytes = new Uint8Array(randomBytes(300_000))
    const ref = { digest: digestOf(bytes), bytes: bytes.length }
    expect(await blobs.receive(arriving(bytes), bytes.length)).toEqual(ref)
    expect(await blobs.receive(arriving(bytes), bytes.length)).toEqual(ref)
    expect(await blobs.put(bytes)).toEqual(ref)
    expect(same((await reopen()).blobs.get(ref.digest), bytes)).toBe(true)
  })

  it("bytes that are too many, or end too early, leave nothing", async () => {
    const { blobs } = await given(open)
    const bytes = new Uint8Array(randomBytes(100_000))
    expect(await blobs.receive(arriving(bytes), bytes.length - 1)).toEqual({ ok: false, code: "too_large" })
    expect(await blobs.receive(arriving(bytes, true), 1e9)).toEqual({ ok: false, code: "cut_off" })
    expect(blobs.get(digestOf(bytes))).toBeUndefined()
  })

  it.each([
    ["the middle", { from: 2, to: 5 }, "234"],
    ["the beginning", { from: 0, to: 3 }, "012"],
    ["beyond the end", { from: 8, to: 99 }, "89"],
    ["after the end", { from: 20, to: 30 }, ""],
    ["nothing", { from: 4, to: 4 }, ""],
    ["backwards", { from: 6, to: 2 }, ""],
    ["from before the beginning", { from: -5, to: 2 }, "01"],
  ])("a range of a blob: %s", async (_, range, expected) => {
    const { blobs } = await given(open)
    const bytes = new TextEncoder().encode("0123456789")
    await blobs.put(bytes)
    for (const _ of ["unchecked", "checked"]) {
      expect(new TextDecoder().decode(blobs.get(digestOf(bytes), range))).toBe(expected)
      expect(new TextDecoder().decode(await blobs.read(digestOf(bytes), range))).toBe(expected)
    }
  })

  it("[RT-ENV-10] damaged bytes are never served, and putting them again repairs them", async () => {
    const { blobs, damageBlob } = await given(open)
    const bytes = new TextEncoder().encode("what it was")
    const digest = digestOf(bytes)
    await blobs.put(bytes)
    expect(same(blobs.get(digest), bytes)).toBe(true)
    damageBlob(digest)
    expect(blobs.get(digest)).toBeUndefined()
    expect(blobs.get(digest, { from: 0, to: 4 })).toBeUndefined()
    expect(await blobs.read(digest)).toBeUndefined()
    expect(await blobs.read(digest, { from: 0, to: 4 })).toBeUndefined()
    expect(await blobs.put(bytes)).toEqual({ digest, bytes: 11 })
    expect(same(blobs.get(digest), bytes)).toBe(true)
  })

  it("a large blob is read while others get their turn", async () => {
    const { blobs, reopen } = await given(open)
    const bytes = new Uint8Array(24_000_000).fill(7)
    const ref = await blobs.put(bytes)
    const again = (await reopen()).blobs
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    expect(same(await again.read("digest" in ref ? ref.digest : ""), bytes)).toBe(true)
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(20)
  })

  it.each([
    "",
    "sha256:",
    `sha256:${"0".repeat(64)}`,
    `md5:${"0".repeat(32)}`,
    `sha256:../${"0".repeat(61)}`,
  ])("there is nothing under %j", async (digest) => {
    const { blobs } = await given(open)
    await blobs.put(new Uint8Array([1]))
    expect(blobs.get(digest)).toBeUndefined()
    expect(await blobs.read(digest)).toBeUndefined()
  })
}

// Comparing megabytes element by element takes seconds.
function same(found: Uint8Array | undefined, bytes: Uint8Array) {
  return found !== undefined && Buffer.compare(found, bytes) === 0
}

async function* arriving(bytes: Uint8Array, isCut = false) {
  for (let at = 0; at < bytes.length; at += 7001) yield bytes.subarray(at, at + 7001)
  if (isCut) throw new Error("the connection is gone")
}
