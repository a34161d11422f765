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

  // Read once; were each letter tried as a beginning, this would not end within the time of a test.
  it.each(["x", "sk-", "ghp_"])("reads a very long word in one pass: %s", (piece) => {
    const text = `{"a":"${piece.repeat(500_000)}"}`
    expect(redactor.undecided(text)).toEqual({ known: 0, form: 0 })
    expect(redactor.goesOn(text)).toBe(false)
    expect(redactor.cut(text, text.length)).toBe(text.length)
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

  it("masks a value whole that begins as another one does, or overlaps with it, whichever was named first", () => {
    const own = createRedactor({ SHORT: "abcdef", LONG: "abcdef-ghijkl" })
    own.learn("LEARNT", "abcdef-ghijkl-mnopqr")
    own.learn("OTHER", "nopqrstuv")
    const masked = own.text("abcdef. abcdef-ghijkl. abcdef-ghijkl-mnopqr. abcdef-ghijkl-mnopqrstuv.")
    expect(masked).toEqual({
      value: "[redacted:SHORT]. [redacted:LONG]. [redacted:LEARNT]. [redacted:LEARNT].",
      hits: { SHORT: 1, LONG: 1, LEARNT: 2 },
    })
  })

  it("masks a value that stands escaped in a text, as in the arguments of a tool call", () => {
    const key = '-----BEGIN "KEY"-----\nC:\\new/é\n'
    const own = createRedactor({ KEY: key })
    const within = JSON.stringify({ command: JSON.stringify({ key }) })
    expect(within).not.toContain(key)
    expect(own.text(within).value).toBe(JSON.stringify({ command: '{"key":"[redacted:KEY]"}' }))
    expect(own.text("\\u002d----begin").value).toBe("\\u002d----begin")
  })

  it("does not mask what is too short to be a secret", () => {
    expect(createRedactor({ SHORT: "abc" }).text("abc").value).toBe("abc")
  })
})

/** What reaches the log when the chunks go through the buffer, each write masked as the journal does. */
async function written(chunks: readonly Delta[], masking = redactor): Promise<Delta[]> {
  const out: Delta[] = []
  const buffer = new DeltaBuffer(async (deltas) => {
    for (const delta of deltas) out.push({ ...delta, text: masking.text(delta.text).value })
    return true
  }, masking)
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

  const character = fc.constantFrom(...'abcnu0 "\\/\n\t-é', "🙂")
  const value = fc.string({ unit: character, minLength: 6, maxLength: 40 })
  type Escape = (text: string) => string
  const asJson: Escape = (text) => JSON.stringify(text).slice(1, -1)
  const asCodes: Escape = (text) =>
    text.replace(/./gs, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
  const withSlashes: Escape = (text) => asJson(text).replaceAll("/", "\\/")
  const escapes = fc
    .tuple(fc.constantFrom(asJson, asCodes, withSlashes), fc.array(fc.constantFrom(asJson, withSlashes)))
    .map(([first, more]) => [first, ...more.slice(0, 2)])

  it("any known value, escaped in any way and cut anywhere, does not get through", async () => {
    await fc.assert(
      fc.asyncProperty(
        value,
        fc.option(escapes, { nil: [] }),
        cuts,
        fc.string(),
        async (secret, ways, sizes, before) => {
          const form = ways.reduce((text, way) => way(text), secret)
          const own = createRedactor({ KEY: secret })
          const all = joined(await written(cutUp(`${before}${form} end`, sizes), own))
          expect(all).not.toContain(form)
          expect(all).toContain("[redacted:KEY]")
          expect(own.text(all).hits).toEqual({})
        },
      ),
      { numRuns: 500 },
    )
  })

  it("a known value longer than any word that is held back does not get through, letter by letter", async () => {
    const secret = `-----BEGIN KEY-----\n${"MIIEpAIBAAKCAQEA/".repeat(60)}\n-----END KEY-----`
    const own = createRedactor({ KEY: secret })
    for (const text of [secret, asJson(secret)]) {
      const letters = [...`It is ${text} and more`].map((letter) => chunk(letter))
      expect(joined(await written(letters, own))).toBe("It is [redacted:KEY] and more")
    }
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
