import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sha256 } from "../../src/hash.ts"

const platform = (text: string) => `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`

describe("sha256", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("gives the published hash of %j", (text, hex) => {
    expect(sha256(text)).toBe(`sha256:${hex}`)
  })

  it("agrees with the platform at every length around a block", () => {
    for (let n = 0; n < 200; n++) expect(sha256("x".repeat(n))).toBe(platform("x".repeat(n)))
  })

  it("agrees with the platform on any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(sha256(text)).toBe(platform(text))
      }),
      { seed: 3, numRuns: 60 },
    )
  })

  it("agrees with the platform on a long text", () => {
    const text = "名前 🙂 ".repeat(60_000)
    expect(sha256(text)).toBe(platform(text))
  })
})
