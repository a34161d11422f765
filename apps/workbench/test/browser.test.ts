import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContext, chromium } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { describeActions } from "./actions-in-browser.ts"
import type { Lines } from "./agent-host.ts"
import { findChromium, HostProcess } from "./host-process.ts"
import { bare, WorkbenchPage } from "./workbench-page.ts"

const folder = mkdtempSync(join(tmpdir(), "factum-workbench-"))
const script = join(folder, "script.jsonl")
const hello = "Hello there.\n\nThis text has two paragraphs, a 汉字 or two, an emoji 🙂 and  two spaces."
const long = Array.from({ length: 60 }, (_, n) => `Line ${n + 1} of the long answer.\n\n`).join("")

const scenes: Record<string, object[]> = {
  "^hello": [
    { reasoning: "They greet.", part: "thought" },
    { text: hello, chunk: 2, every_ms: 15 },
    { finish: "stop", usage: { input_tokens: 12, output_tokens: 1234 } },
  ],
  "^long": [{ text: long, chunk: 6, every_ms: 12 }],
  "^ponder": [{ delay_ms: 600_000 }],
  "^wait": [{ text: "Waiting." }, { delay_ms: 600_000 }],
  "^fail": [{ text: "It begins" }, { error: "The provider hung up.", category: "provider_error" }],
  "": [{ text: "Understood." }],
}

/** Told in three parts; between them the model waits until the test lets it go on. */
const parts: Lines = {
  slow: [
    {
      text: [
        ...piecesOf(long.slice(0, 300)),
        { wait: "middle" },
        ...piecesOf(long.slice(300, 900)),
        { wait: "end" },
        ...piecesOf(long.slice(900)),
      ],
    },
  ],
  "written while it was away": [{ text: "Understood." }],
}

function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,6}/g) ?? []
}

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let host: HostProcess
let browser: Browser
const contexts: BrowserContext[] = []
const hosts: HostProcess[] = []

beforeAll(async () => {
  const lines = Object.entries(scenes).flatMap(([on, steps]) => [{ on }, ...steps])
  writeFileSync(script, lines.map((line) => JSON.stringify(line)).join("\n"))
  host = await newHost()
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
})

afterAll(async () => {
  await browser?.close()
  await Promise.all(hosts.map((one) => one.kill()))
  rmSync(folder, { recursive: true, force: true })
})

function newHost(): Promise<HostProcess> {
  return keep(new HostProcess({ data: mkdtempSync(join(folder, "data-")), script })).start()
}

/** A host whose model waits for the test. */
function waitingHost(): Promise<HostProcess> {
  const lines = join(mkdtempSync(join(folder, "lines-")), "lines.json")
  writeFileSync(lines, JSON.stringify(parts))
  const main = fileURLToPath(new URL("./agent-host.ts", import.meta.url))
  return keep(new HostProcess({ data: mkdtempSync(join(folder, "data-")), script: lines, main })).start()
}

function keep(one: HostProcess): HostProcess {
  hosts.push(one)
  return one
}

async function visitor(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: "en-GB", ...options })
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  return context
}

const open = async (on = host) => WorkbenchPage.open(await visitor(), on.page)

/** A connection that ends is told by the browser itself; nothing else may be said. */
const ownErrors = (at: WorkbenchPage) =>
  at.errors.filter((text) => !/net::ERR_|Failed to load resource/.test(text))

describe("a first message", () => {
  it("creates a session and shows the text exactly, never anything but a beginning of it", async () => {
    const at = await open()
    expect(at.page.url()).toBe(`${host.origin}/#/`)
    await at.send("hello")
    await at.ends("completed")
    await expect.poll(() => at.answer()).toBe(bare(hello))
    await expect.poll(() => at.page.url()).toMatch(/#\/s\/ses_\w+$/)

    expect((await at.seen()).filter(({ text }) => !bare(hello).startsWith(text))).toEqual([])

    await expect.poll(() => at.foot("done")).toMatch(/Done.*12 in, 1\.2k out tokens/)
    await expect.poll(() => at.lastTurn.locator("[data-steps]").textContent()).toMatch(/\d steps? · [\d.]+ s/)
    await expect.poll(() => at.tab()).toMatch(/Done.*hello/)
    expect(at.errors).toEqual([])
  })

  it("tells what the runtime does, and for how long, before there is any text", async () => {
    const at = await open()
    await at.send("ponder")
    const status = at.lastTurn.locator("[data-role=status]")
    await status.getByText("Waiting for the model").waitFor()
    await status.locator("[data-role=elapsed]", { hasText: /^· [1-9]\d* s$/ }).waitFor()
    expect(await at.answer()).toBe("")
    await at.page.reload()
    await status.getByText("Waiting for the model").waitFor()
    await at.button("Stop").click()
    await at.ends("cancelled")
    expect(at.errors).toEqual([])
  })

  it("shows reasoning folded, and opens it by keyboard", async () => {
    const at = await open()
    await at.send("hello")
    await at.ends("completed")
    const thought = at.page.locator("p", { hasText: "They greet." })
    expect(await thought.count()).toBe(0)
    await at.lastTurn.locator("[data-steps]").focus()
    await at.page.keyboard.press("Enter")
    await at.page.locator("[data-row=reasoning] button").focus()
    await at.page.keyboard.press("Enter")
    await thought.waitFor()
    expect(at.errors).toEqual([])
  })

  it("reads the answer to a screen reader in whole sentences", async () => {
    const at = await open()
    const said: string[] = []
    await at.page.exposeFunction("heard", (text: string) => said.push(text))
    await at.page.evaluate(() => {
      const heard = (globalThis as unknown as { heard: (text: string) => void }).heard
      new MutationObserver(() => {
        const text = document.querySelector("[data-announcer]")?.textContent
        if (text) heard(text)
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await at.send("hello")
    await at.ends("completed")
    await at.page.waitForFunction(() =>
      document.querySelector("[data-announcer]")?.textContent?.includes("Done"),
    )
    const spoken = [...new Set(said)]
    expect(spoken.some((text) => text.startsWith("Hello there.") && !text.includes("emoji"))).toBe(true)
    // A busy page may say the last sentence and the end one after the other.
    expect(spoken.join(" ")).toContain("two spaces.")
    expect(spoken.at(-1)).toMatch(/Done$/)
  })
})

describe("sessions", () => {
  it("have tabs that are switched between, each with its own conversation", async () => {
    const at = await open(await newHost())
    await at.send("first question")
    await at.ends("completed", "first question")
    await at.page.getByRole("link", { name: "New session" }).click()
    await at.page.getByRole("heading", { name: "What should be done?" }).waitFor()
    await at.send("second question")
    await at.ends("completed", "second question")
    await expect.poll(() => at.messages()).toEqual(["second question"])
    await at.page.getByRole("link", { name: /first question/ }).click()
    await at.ends("completed", "first question")
    await expect.poll(() => at.messages()).toEqual(["first question"])
    const tabs = async () =>
      (await at.page.locator("[data-session]").allTextContents()).map((tab) =>
        tab.replace(/^\W*\w+?(?=first|second)/, ""),
      )
    await expect.poll(tabs).toEqual(["second question", "first question"])
    await at.page.goBack()
    await at.ends("completed", "second question")
    expect(at.errors).toEqual([])
  })

  it("that are long are read back on demand, and what is read stays in its place", async () => {
    const session_id = await host.talk(Array.from({ length: 40 }, (_, n) => `message ${n + 1}`))
    const context = await visitor()
    const at = await WorkbenchPage.open(context, host.page)
    await at.page.goto(`${host.origin}/#/s/${session_id}`)
    await at.ends("completed", "message 40")
    const scroller = at.page.getByRole("region", { name: "Conversation" })
    const load = at.button("Show earlier messages")
    await at.scrollsToTop()
    const [first] = await at.messages()
    expect(first).not.toBe("message 1")
    const reading = at.page.locator("[data-role=user]", { hasText: new RegExp(`^${first}$`) })
    const before = await reading.boundingBox()
    const height = await scroller.evaluate((element) => element.scrollHeight)
    await load.click()
    await at.page.waitForFunction(
      (height) => (document.querySelector("main section")?.scrollHeight ?? 0) > height + 100,
      height,
    )
    const moved = async () => Math.abs(((await reading.boundingBox())?.y ?? 1e9) - (before?.y ?? 0))
    await expect.poll(moved).toBeLessThan(8)
    while ((await load.count()) > 0) {
      await at.scrollsToTop()
      if (await load.isEnabled()) await load.click({ timeout: 2000 }).catch(() => undefined)
    }
    await expect
      .poll(() => at.readThrough())
      .toEqual(Array.from({ length: 40 }, (_, n) => `message ${n + 1}`))
    expect(at.errors).toEqual([])
  })

  it("that are many can all be reached: the open tab is in sight, and a list has the rest", async () => {
    const own = await newHost()
    const ids: string[] = []
    for (let n = 1; n <= 30; n++) ids.push(await own.talk([n === 30 ? "fail" : `talk ${n}.`]))
    const at = await WorkbenchPage.open(await visitor({ viewport: { width: 360, height: 640 } }), own.page)
    await at.page.goto(`${own.origin}/#/s/${ids[0]}`)
    await at.ends("completed", "talk 1.")
    await at.page.reload()
    await at.page.waitForFunction(() => {
      const tabs = [...document.querySelectorAll("[data-session]")]
      const open = tabs.find((tab) => tab.ariaCurrent === "page")?.getBoundingClientRect()
      const row = open && tabs[0]?.parentElement?.parentElement?.getBoundingClientRect()
      return tabs.length === 30 && row && open.left >= row.left - 1 && open.right <= row.right + 1
    })
    await at.page.locator(`[data-session=${ids[29]}] [data-state=failed]`).first().waitFor()
    await at.button("All sessions").focus()
    await at.page.keyboard.press("Enter")
    const list = at.page.getByRole("dialog", { name: "All sessions" })
    await expect.poll(() => list.getByRole("link").count()).toBe(30)
    await expect.poll(() => list.locator(":focus").textContent()).toMatch(/^talk 1\.Done\d\d:\d\d$/)
    expect(await at.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await at.page.keyboard.press("ArrowUp")
    await at.page.keyboard.press("ArrowUp")
    await at.page.keyboard.press("Enter")
    await at.ends("completed", "talk 3.")
    await list.waitFor({ state: "detached" })
    await at.send("wait")
    await at.streams(1)
    await at.button("All sessions").click()
    await at.page.keyboard.press("Escape")
    await list.waitFor({ state: "detached" })
    await at.ends("running", "wait")
    expect(at.errors).toEqual([])
  })

  it("that do not exist are said to be missing", async () => {
    const at = await open()
    await at.page.goto(`${host.origin}/#/s/ses_none`)
    await at.page.getByRole("heading", { name: "This session cannot be read" }).waitFor()
    await at.page.getByText("No session ses_none is known.").waitFor()
    await at.page.getByRole("region").getByRole("link", { name: "New session" }).click()
    await at.page.getByRole("heading", { name: "What should be done?" }).waitFor()
  })
})

describe("the queue", () => {
  it("holds what is sent while a turn runs; entries are promoted, removed and run in order", async () => {
    const at = await open()
    await at.send("wait")
    await at.streams(1)
    for (const text of ["one", "two", "three"]) await at.send(text)
    await at.queues("one", "two", "three")
    const gap = async () => {
      const rows = await at.page.getByRole("region", { name: "Queued · 3" }).boundingBox()
      const box = await at.box.boundingBox()
      return (box?.y ?? 0) - (rows?.y ?? 1e9) - (rows?.height ?? 0)
    }
    await expect.poll(gap).toBeGreaterThan(4)
    await expect.poll(() => at.messages()).toEqual(["wait"])
    await at.button("Run next: three").click()
    await at.queues("three", "one", "two")
    await at.button("Remove from the queue: one").click()
    await at.queues("three", "two")
    await at.isFocused(at.box)
    await at.page.reload()
    await at.queues("three", "two")
    await at.button("Stop").click()
    await at.ends("completed", "two")
    await expect.poll(() => at.messages()).toEqual(["wait", "three", "two"])
    await expect.poll(() => at.queue()).toEqual([])
    expect(at.errors).toEqual([])
  })
})

describe("stopping", () => {
  it("ends the turn, keeps what had arrived and says so", async () => {
    const at = await open()
    await at.send("wait")
    await at.streams(1)
    await at.button("Stop").click()
    await at.ends("cancelled")
    await expect.poll(() => at.answer()).toBe("Waiting.")
    await expect.poll(() => at.foot("cancelled")).toContain("Stopped by the user.")
    await at.lastTurn.locator("[data-partial=interrupted]", { hasText: "Partial output" }).waitFor()
    await at.button("Stop").waitFor({ state: "detached" })
    await at.send("go on")
    await at.ends("completed", "go on")
    expect(at.errors).toEqual([])
  })

  it("by Escape is the same, after a second press", async () => {
    const at = await open()
    await at.send("wait")
    await at.streams(1)
    await at.ends("running")
    const turn_id = await at.lastTurn.getAttribute("data-turn")
    const asked: unknown[] = []
    at.page.on("request", (request) => {
      if (request.url().includes("interrupt_turn")) asked.push(request.postDataJSON())
    })
    await at.page.keyboard.press("Escape")
    await at.page.getByText("Press Esc again to stop").waitFor()
    expect(asked).toEqual([])
    // A machine that is busier than the page is patient makes the second press a first one again.
    await expect
      .poll(async () => {
        if (asked.length === 0) await at.page.keyboard.press("Escape")
        return asked.length
      })
      .toBeGreaterThan(0)
    expect(asked[0]).toMatchObject({ input: { turn_id } })
    await at.ends("cancelled")
    expect(at.errors).toEqual([])
  })
})

it("a failure keeps the partial output, says what happened and what to do, and can be asked again", async () => {
  const at = await open()
  await at.send("fail")
  await at.ends("failed")
  await expect.poll(() => at.answer()).toBe("Itbegins")
  for (const words of [
    "The model provider failed",
    "The provider hung up.",
    "Ask again. If it fails again, check the provider.",
  ])
    await expect.poll(() => at.foot("failed")).toContain(words)
  await at.button("Ask again").click()
  await at.page.locator("[data-turn]").nth(1).waitFor()
  await at.ends("failed")
  await expect.poll(() => at.messages()).toEqual(["fail", "fail"])
  expect(at.errors).toEqual([])
})

describe("no character is lost or repeated", () => {
  const whole = bare(long)
  const strangers = (texts: readonly { text: string }[]) =>
    texts.filter(({ text }) => !whole.startsWith(text))

  it("over a reload in mid-stream", async () => {
    const own = await waitingHost()
    const at = await open(own)
    await at.send("slow")
    await at.streams(100)
    const before = await at.seen()
    expect(before.at(-1)?.text.length).toBeLessThan(whole.length)
    await at.page.reload()
    own.release("middle")
    await at.streams(400)
    const between = await at.seen()
    await at.page.reload()
    own.release("end")
    await at.ends("completed")
    await expect.poll(() => at.answer()).toBe(whole)
    const after = await at.seen()
    expect(strangers([...before, ...between, ...after])).toEqual([])
    // Each visit begins where the last one was or further, and never with a shorter text.
    const lengths = (some: readonly { text: string }[]) => some.map(({ text }) => text.length).filter(Boolean)
    expect(Math.min(...lengths(between))).toBeGreaterThanOrEqual(Math.max(...lengths(before)))
    expect(Math.min(...lengths(after))).toBeGreaterThanOrEqual(Math.max(...lengths(between)))
    expect(at.errors).toEqual([])
  })

  it("in two tabs, which show the same, also what the other one does", async () => {
    const context = await visitor()
    const one = await WorkbenchPage.open(context, host.page)
    await one.send("long")
    await one.streams(60)
    const two = await WorkbenchPage.open(context, one.page.url())
    await Promise.all([one.ends("completed", "long"), two.ends("completed", "long")])
    for (const page of [one, two]) await expect.poll(() => page.answer()).toBe(whole)
    expect(strangers([...(await one.seen()), ...(await two.seen())])).toEqual([])
    await one.send("wait")
    await two.ends("running", "wait")
    await two.send("later")
    await Promise.all([one.queues("later"), two.queues("later")])
    await two.button("Remove from the queue: later").click()
    await Promise.all([one.queues(), two.queues()])
    await two.button("Stop").click()
    await Promise.all([one.ends("cancelled", "wait"), two.ends("cancelled", "wait")])
    expect([...one.errors, ...two.errors]).toEqual([])
  })

  it("over a killed host: the page comes back by itself, marks what was cut, and goes on", async () => {
    const own = await waitingHost()
    const at = await open(own)
    await at.send("slow")
    await at.streams(100)
    await own.kill()
    await at.connection("lost")
    await at.page.getByText("No connection to the host.").waitFor()
    await at.lastTurn.getByText("Last known: Answering").waitFor()
    await at.page.locator("nav [aria-current=page] [data-state=stale]").first().waitFor()
    const shown = await at.answer()
    expect(shown.length).toBeGreaterThanOrEqual(100)
    await at.send("written while it was away")
    await own.start()
    await at.connection("live")
    await at.ends("completed", "written while it was away")

    const cut = at.page.locator("[data-turn]").first()
    await expect.poll(() => cut.getAttribute("data-status")).toBe("failed")
    await expect.poll(() => cut.locator("[data-partial=runtime_restart]").count()).toBe(1)
    const kept = await at.answer(cut)
    expect(kept.startsWith(shown)).toBe(true)
    expect(whole.startsWith(kept)).toBe(true)
    expect(kept.length).toBeLessThan(whole.length)
    await expect.poll(() => at.foot("failed", cut)).toContain("The host restarted while this ran")
    expect(await at.foot("failed", cut)).not.toMatch(/\d s/)
    await expect.poll(() => at.messages()).toEqual(["slow", "written while it was away"])
    await expect.poll(() => at.answer()).toBe("Understood.")
    expect(ownErrors(at)).toEqual([])
    await at.page.reload()
    await at.ends("completed", "written while it was away")
    await expect.poll(() => at.messages()).toEqual(["slow", "written while it was away"])
  })
})

it("a message that is too long says so in the page's words, stays out of the way and can be edited", async () => {
  const at = await open()
  await at.send("hello")
  await at.ends("completed", "hello")
  const long = "many words ".repeat(96_000)
  await at.box.fill(long)
  await at.button("Send").click()
  const refused = at.page.locator("[data-status=unsent]")
  await refused
    .getByText("The message is too long: the limit is 1 MiB. Shorten it, or attach less.")
    .waitFor()
  expect(await refused.textContent()).not.toContain("/v1/")
  expect(await at.button("Send again").count()).toBe(0)
  for (const text of ["wait", "and after it"]) await at.send(text)
  await at.streams(1)
  await at.button("Stop").click()
  await at.ends("completed", "and after it")
  await at.lastTurn.getByText("Understood.").waitFor()
  await at.page.waitForFunction(() => {
    const turn = [...document.querySelectorAll("[data-turn]")].at(-1)?.getBoundingClientRect()
    const view = document.querySelector("main section")?.getBoundingClientRect()
    return turn && view && turn.top >= view.top && turn.bottom <= view.bottom + 1
  })
  await expect
    .poll(async () => (await at.messages()).map((text) => text.slice(0, 12)))
    .toEqual(["hello", long.slice(0, 12), "wait", "and after it"])
  await at.button("Edit").click()
  await expect.poll(async () => (await at.box.inputValue()) === long).toBe(true)
  await refused.waitFor({ state: "detached" })
  expect(ownErrors(at)).toEqual([])
})

describe("the first screen", () => {
  it.each([
    ["en-GB", "a script answers", "Fix the failing login test", "tests passed: 3"],
    ["zh-CN", "由脚本作答", "修好失败的登录测试", "通过的测试：3"],
  ])(
    "in %s offers demonstrations, which one click plays with real tools",
    async (locale, said, say, result) => {
      const demo = await new HostProcess({ data: mkdtempSync(join(folder, "demo-")) }).start()
      hosts.push(demo)
      const at = await WorkbenchPage.open(await visitor({ locale }), demo.page)
      await at.page.getByText(said).waitFor()
      for (const key of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"])
        await at.page.getByText(key).waitFor()
      await at.button(say).click()
      for (const about of ["login.js", "node --test"]) {
        const card = at.page.locator("[data-action][data-open]").filter({ hasText: about })
        await card.locator("[aria-keyshortcuts=y]").click({ timeout: 60_000 })
      }
      await at.lastTurn.getByText(result).waitFor({ timeout: 60_000 })
      expect(await at.messages()).toEqual([say])
    },
  )

  it("is quiet where another model answers", async () => {
    const at = await open()
    await at.page.getByRole("heading", { name: "What should be done?" }).waitFor()
    await at.isFocused(at.box)
    expect(await at.page.getByRole("heading", { level: 2, name: /demonstrations/ }).count()).toBe(0)
    expect(await at.page.getByText("ANTHROPIC_API_KEY").count()).toBe(0)
  })
})

describe("the composer", () => {
  it("keeps what is not sent over a reload, per session", async () => {
    const at = await open()
    await at.box.fill("half a thought")
    await at.page.reload()
    await expect.poll(() => at.box.inputValue()).toBe("half a thought")
    await at.box.press("Enter")
    await at.ends("completed", "half a thought")
    await expect.poll(() => at.box.inputValue()).toBe("")
    await at.box.fill("and another")
    await at.page.getByRole("link", { name: "New session" }).click()
    await at.page.getByRole("heading", { name: "What should be done?" }).waitFor()
    await expect.poll(() => at.box.inputValue()).toBe("")
    await at.page.goBack()
    await at.ends("completed", "half a thought")
    await expect.poll(() => at.box.inputValue()).toBe("and another")
  })

  it("starts a new line with Shift+Enter and sends no blank", async () => {
    const at = await open()
    await at.box.press("Enter")
    await at.box.pressSequentially("one")
    await at.box.press("Shift+Enter")
    await at.box.pressSequentially("two")
    await expect.poll(() => at.box.inputValue()).toBe("one\ntwo")
    await at.box.press("Enter")
    await at.ends("completed", "one\ntwo")
    await expect.poll(() => at.messages()).toEqual(["one\ntwo"])
  })

  it("[UI-I18N-3] does not send with the Enter that ends a composition", async () => {
    const at = await open()
    await at.box.focus()
    const typing = await at.page.context().newCDPSession(at.page)
    await typing.send("Input.imeSetComposition", { text: "nihao", selectionStart: 5, selectionEnd: 5 })
    const enter = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 }
    await typing.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...enter })
    await typing.send("Input.insertText", { text: "你好" })
    await expect.poll(() => at.box.inputValue()).toBe("你好")
    expect(await at.messages()).toEqual([])
    await at.box.press("Enter")
    await at.ends("completed", "你好")
  })
})

describe("the page", () => {
  it("speaks Chinese, and remembers it", async () => {
    const at = await open()
    await at.button("中文 / ZH").click()
    await at.page.getByRole("heading", { name: "要做什么？" }).waitFor()
    await expect.poll(() => at.page.locator("html").getAttribute("lang")).toBe("zh-CN")
    await at.page.reload()
    await at.send("wait")
    await at.lastTurn.getByText("回答中").waitFor()
    await at.button("停止").click()
    await at.ends("cancelled")
    await at.lastTurn.locator("[data-outcome]", { hasText: "由用户停止。" }).waitFor()
    await at.button("English").click()
    await at.page.getByText("Stopped by the user.").waitFor()
    expect(at.errors).toEqual([])
  })

  it("is dark on demand, and remembers it", async () => {
    const at = await open()
    const page = () => at.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await page()
    await at.button("Theme: System").click()
    await at.button("Theme: Light").click()
    await at.button("Theme: Dark").waitFor()
    await expect.poll(page).not.toBe(light)
    const dark = await page()
    await at.page.reload()
    await at.button("Theme: Dark").waitFor()
    await expect.poll(page).toBe(dark)
  })

  it("fits a width of 360 pixels, with everything in reach", async () => {
    const at = await WorkbenchPage.open(await visitor({ viewport: { width: 360, height: 640 } }), host.page)
    await at.send("wait")
    await at.streams(1)
    await at.send(`a-word-without-an-end-${"x".repeat(200)}`)
    await at.page.locator("[data-queued] button").first().waitFor()
    const width = await at.page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(360)
    const inReach = async (name: string | RegExp) => {
      const place = await at.button(name).boundingBox()
      expect(place && place.x >= 0 && place.x + place.width <= 360).toBe(true)
    }
    for (const name of ["Stop", "Queue", /^Remove/, "All sessions", "Workspace"]) await inReach(name)
    await at.button("Team and requests").click()
    await inReach("ZH")
    expect(at.errors).toEqual([])
  })

  it("asks for the whole address when there is no token", async () => {
    const at = await WorkbenchPage.open(await visitor(), `${host.origin}/`)
    await at.page.getByRole("heading", { name: "Open the address that npm start prints" }).waitFor()
    expect(at.errors).toEqual([])
  })

  it("says that a token is refused, and takes the right one", async () => {
    const at = await WorkbenchPage.open(await visitor(), `${host.origin}/#token=wrong`)
    await at.page.getByRole("heading", { name: "The host refused this access token" }).waitFor()
    expect(await at.page.content()).not.toContain("wrong")
    await at.page.goto(host.page)
    await at.page.getByRole("heading", { name: "What should be done?" }).waitFor()
    expect(ownErrors(at)).toEqual([])
  })

  it("does not pull a reader down, and counts what is new", async () => {
    const at = await open()
    await at.send("long")
    await at.ends("completed")
    const scroller = at.page.getByRole("region", { name: "Conversation" })
    await at.page.reload()
    await at.ends("completed")
    await scroller.evaluate(async (element) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      while (element.scrollHeight - element.scrollTop - element.clientHeight > 1) await frame()
    })
    await at.send("wait")
    await at.lastTurn.getByText("Waiting.").waitFor()
    await at.scrollsToTop()
    await at.button("Latest").waitFor()
    const below = async () => {
      const [text, latest] = [await scroller.boundingBox(), await at.button("Latest").boundingBox()]
      return (latest?.y ?? -1e9) - (text?.y ?? 0) - (text?.height ?? 0)
    }
    await expect.poll(below).toBeGreaterThanOrEqual(0)
    await at.button("Stop").click()
    await at.ends("cancelled", "wait")
    await at.button(/new$/).waitFor()
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0)
    await at.button(/new$/).click()
    await at.button(/new$/).waitFor({ state: "detached" })
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
  })
})

describeActions({ folder, visitor, keep })
