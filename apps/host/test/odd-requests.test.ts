import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { ask } from "./asking.ts"
import { startTestHost, type TestHost, token } from "./hosting.ts"

async function host(): Promise<TestHost> {
  const running = await startTestHost()
  onTestFinished(running.stop)
  return running
}

/** What comes back for these bytes until the connection is closed. */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port })
    let answer = ""
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(answer))
    socket.end(bytes, "latin1")
  })
}

const head = (line: string, port: number, ...more: string[]) =>
  `${[line, `Host: 127.0.0.1:${port}`, "Connection: close", ...more].join("\r\n")}\r\n\r\n`

const upgrade = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
]

const isAnswering = async ({ url }: TestHost) => (await ask(`${url}/v1/health`)).status

describe("an upgrade of nobody in particular", () => {
  it.each([
    "//",
    "///",
    "http://[",
    "/",
    "*",
    "/v1/channels/",
    "//v1/channels",
    "http://:99999/",
    "/%",
    "?",
    "\x80",
  ])("to %j is refused, and the host goes on", async (path) => {
    const running = await host()
    const { port } = running
    const answer = await answerTo(
      port,
      `${[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...upgrade].join("\r\n")}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(await isAnswering(running)).toBe(200)
  })

  it("whose sender hangs up at once leaves nothing behind", async () => {
    const running = await host()
    const { port } = running
    await Promise.all(
      Array.from({ length: 20 }, () => {
        const socket = connect({ host: "127.0.0.1", port })
        socket.on("error", () => undefined)
        const lines = ["GET /v1/channels HTTP/1.1", `Host: 127.0.0.1:${port}`, ...upgrade]
        return new Promise<void>((resolve) => {
          socket.on("close", () => resolve())
          socket.write(`${lines.join("\r\n")}\r\n\r\n`, () => socket.resetAndDestroy())
        })
      }),
    )
    expect(await isAnswering(running)).toBe(200)
  })
})

it("some hundreds of odd request lines are each answered or closed, none with an error of the host's own", async () => {
  const running = await host()
  const { port } = running
  const random = seeded(20_261_119)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const parts = [
    "/",
    "//",
    "..",
    "%",
    "%2e",
    "%zz",
    "%00",
    "?",
    "#",
    "[",
    "]",
    "@",
    ":",
    "\\",
    "http://",
    "v1",
  ]
  const more = [
    "sessions",
    "facts",
    "blobs",
    "channels",
    "artifacts",
    "commands",
    "a=1&a=1",
    "\xff",
    "=",
    "&",
    ";",
  ]
  const methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT", "G\x01T"]
  const lines = Array.from({ length: 400 }, () => {
    const path = Array.from({ length: 1 + Math.floor(random() * 7) }, () => pick([...parts, ...more])).join(
      "",
    )
    return `${pick(methods)} ${random() < 0.8 ? "/" : ""}${path} HTTP/1.1`
  })
  const answers: { line: string; answer: string }[] = []
  for (let from = 0; from < lines.length; from += 20) {
    const some = lines.slice(from, from + 20).map(async (line) => {
      const extra = random() < 0.5 ? [`Authorization: Bearer ${token}`] : []
      return { line, answer: await answerTo(port, head(line, port, ...extra)) }
    })
    answers.push(...(await Promise.all(some)))
  }
  const wrong = answers.filter(({ answer }) => answer !== "" && !/^HTTP\/1\.1 [234]\d\d /.test(answer))
  expect(wrong).toEqual([])
  expect(answers.filter(({ answer }) => answer !== "").length).toBeGreaterThan(300)
  expect(await isAnswering(running)).toBe(200)
}, 30_000)

/** Mulberry32: the same requests in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
