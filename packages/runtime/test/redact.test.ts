import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { type Delta, DeltaBuffer } from "../src/execution/deltas.ts"
import { createRedactor } from "../src/redact.ts"

const secrets = { PASSWORD: "correct horse", TOKEN: "tok-123456" }
const redactor = createRedactor(secrets)

describe("the redactor", () => {
  it.each([
    ["provider-key", "sk-abcdefghijklmnop"],
    ["github-token", `ghp_${"a".repeat(20)}`],
    ["github-token", `github_pat_${"a".repeat(20)}`],
    ["gitlab-token", `glpat-${"a".repeat(20)}`],
    ["npm-token", `npm_${"a".repeat(36)}`],
    ["payment-key", `sk_live_${"a".repeat(24)}`],
    ["payment-key", `rk_live_${"a".repeat(24)}`],
    ["aws-key", "AKIAABCDEFGHIJKLMNOP"],
    ["aws-key", "ASIAABCDEFGHIJKLMNOP"],
    ["slack-token", "xoxb-1234567890"],
    ["google-key", `AIza${"a".repeat(35)}`],
    ["PASSWORD", "correct horse"],
  ])("masks %s", (rule, secret) => {
    expect(redactor.text(`a ${secret} b ${secret}`)).toEqual({
      value: `a [redacted:${rule}] b [redacted:${rule}]`,
      hits: { [rule]: 2 },
    })
  })

  it("looks into every string of a value and leaves the rest alone", () => {
    const value = { a: ["tok-123456", 1, null], b: { c: "fine" }, d: true }
    const masked = redactor.deep(value)
    expect(redactor.deep({ "tok-123456": 1 }).value).toEqual({ "[redacted:TOKEN]": 1 })
    expect(masked).toEqual({
      value: { a: ["[redacted:TOKEN]", 1, null], b: { c: "fine" }, d: true },
      hits: { TOKEN: 1 },
    })
    const clean = { a: "x" }
    expect(redactor.deep(clean).value).toBe(clean)
  })

  it("does not mask what is too short to be a secret", () => {
    expect(createRedactor({ SHORT: "abc" }).text("abc").value).toBe("abc")
  })
})

/** What reaches the log when the chunks go through the buffer, each write masked as the journal does. */
async function written(chunks: readonly Delta[]): Promise<Delta[]> {
  const out: Delta[] = []
  const buffer = new DeltaBuffer(async (deltas) => {
    for (const delta of deltas) out.push({ ...delta, text: redactor.text(delta.text).value })
    return true
  }, redactor)
  for (const chunk of chunks) buffer.add(chunk)
  expect(await buffer.settle()).toBe(true)
  return out
}

const chunk = (text: string, part_id = "p"): Delta => ({ kind: "text", part_id, text })
const joined = (deltas: readonly Delta[], part_id = "p") =>
  deltas.flatMap((delta) => (delta.part_id === part_id ? delta.text : [])).join("")

describe("the delta buffer", () => {
  const piece = fc.constantFrom(
    "correct horse",
    "tok-123456",
    "sk-abcdefghijklmnop",
    `npm_${"a".repeat(36)}`,
    "ASIAABCDEFGHIJKLMNOP",
    "sk_live_abcdefghijklmnop",
    "hello",
    "s",
    "correct",
    "🙂",
  )
  const cuts = fc.array(fc.nat(12))

  function cutUp(text: string, sizes: readonly number[]): Delta[] {
    let at = 0
    const chunks = sizes.map((size) => {
      const one = chunk(text.slice(at, at + size))
      at += size
      return one
    })
    return [...chunks, chunk(text.slice(at))]
  }

  it("cut anywhere, a text arrives as if it had come whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), cuts, async (pieces, sizes) => {
        const text = pieces.join(" ")
        expect(joined(await written(cutUp(text, sizes)))).toBe(redactor.text(text).value)
      }),
    )
  })

  it("cut anywhere, no secret gets through, whatever stands before and after it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), cuts, async (pieces, sizes) => {
        const all = joined(await written(cutUp(pieces.join(""), sizes)))
        for (const secret of Object.values(secrets)) expect(all).not.toContain(secret)
        expect(redactor.text(all).value).toBe(all)
      }),
    )
  })

  it("a word that only looks like a key when it is cut stays as it is", async () => {
    const out = await written(["The ", "ri", "sk-assessment-framework", " is"].map((text) => chunk(text)))
    expect(joined(out)).toBe("The risk-assessment-framework is")
  })

  it("a long run of letters does not wait for its end", async () => {
    const out: string[] = []
    const buffer = new DeltaBuffer(async (deltas) => {
      out.push(...deltas.map((delta) => delta.text))
      return true
    }, redactor)
    for (let i = 0; i < 100; i++) buffer.add(chunk("zyzyzyzy"))
    await vi.waitUntil(() => out.join("").length > 600)
    await buffer.settle()
    expect(out.join("")).toBe("zyzyzyzy".repeat(100))
  })

  it("parts keep the order in which they began, also when all of one waits", async () => {
    const out = await written([chunk("s", "a"), chunk("plain", "b"), chunk("k-", "a")])
    expect([...new Set(out.map((delta) => delta.part_id))]).toEqual(["a", "b"])
    expect(joined(out, "a")).toBe("sk-")
  })

  it("a secret split around another part is masked", async () => {
    const out = await written([chunk("correct ", "a"), chunk("x", "b"), chunk("horse", "a")])
    expect(joined(out, "a")).toBe("[redacted:PASSWORD]")
  })

  it("a refused write closes it", async () => {
    const buffer = new DeltaBuffer(async () => false, redactor)
    buffer.add(chunk("x"))
    expect(await buffer.settle()).toBe(false)
    expect(buffer.open).toBe(false)
  })

  it("a write that throws closes it", async () => {
    const buffer = new DeltaBuffer(() => Promise.reject(new Error("full")), redactor)
    buffer.add(chunk("x"))
    await expect(buffer.settle()).rejects.toThrow("full")
    expect(buffer.open).toBe(false)
  })

  it("a secret with other characters than letters is not cut in two", async () => {
    const own = createRedactor({ KEY: "top.secret-value" })
    const out: string[] = []
    const buffer = new DeltaBuffer(async (deltas) => {
      out.push(...deltas.map((delta) => own.text(delta.text).value))
      return true
    }, own)
    for (const text of ["It is ", "top.secret-value", " and", " more"]) buffer.add(chunk(text))
    await buffer.settle()
    expect(out.join("")).toBe("It is [redacted:KEY] and more")
  })

  it("a key longer than anything that is held back is masked to its end", async () => {
    const key = `sk-${"a1".repeat(600)}`
    const out = await written([chunk("key "), ...[...`${key} end`].map((letter) => chunk(letter))])
    expect(joined(out)).toBe("key [redacted:provider-key] end")
  })

  it("a flush keeps what is undecided, and gives up what was replaced", async () => {
    const out: Delta[] = []
    const buffer = new DeltaBuffer(async (deltas) => {
      out.push(...deltas)
      return true
    }, redactor)
    buffer.add(chunk("plain "))
    buffer.add(chunk("sk-abcdefghij"))
    buffer.add({ kind: "reasoning", part_id: "r", text: "thought sk-a" })
    await buffer.flush({ kind: "reasoning", part_id: "r" })
    expect(out.map((delta) => delta.text).join("|")).toBe("plain |thought ")
    buffer.add(chunk("klmnop"))
    await buffer.settle()
    expect(redactor.text(joined(out)).value).toBe("plain [redacted:provider-key]")
  })

  it("parts of different kinds under one id stay apart", async () => {
    const out = await written([{ kind: "reasoning", part_id: "p", text: "think" }, chunk("answer")])
    expect(out.map(({ kind, text }) => ({ kind, text }))).toEqual([
      { kind: "reasoning", text: "think" },
      { kind: "text", text: "answer" },
    ])
  })
})
