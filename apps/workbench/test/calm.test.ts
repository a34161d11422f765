import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { findChromium } from "./host-process.ts"
import { TraceHost, traceOf } from "./trace-host.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let browser: Browser
let host: TraceHost
const contexts: BrowserContext[] = []

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})
beforeEach(async () => {
  host = await new TraceHost().start()
})
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
  host.close()
  expect(host.mistakes).toEqual([])
})
afterAll(() => browser?.close())

async function open(place: string, width = 1440): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width, height: 800 } })
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  const page = await context.newPage()
  await page.goto(host.at(place))
  await page.locator("[data-connection=live]").waitFor({ state: "attached" })
  return page
}

const of = (turn_id: string, type: string, payload: object) => ({
  session_id: "ses_a",
  thread_id: "thr_a",
  turn_id,
  type,
  payload,
})
const begin = (turn: string, text: string) => [
  of(turn, "turn.submitted", { input: [{ kind: "text", text }], source: "user" }),
  of(turn, "turn.started", {}),
  of(turn, "turn.completed", { outcome: "answered" }),
]
const opening = [
  { session_id: "ses_a", type: "session.created", payload: { title: "Talk" } },
  { session_id: "ses_a", thread_id: "thr_a", type: "thread.started", payload: {} },
]

describe("an idle page is quiet", () => {
  test("empty panels are a line each, no button is dead, and the workspace stays closed", async () => {
    host.tell(...opening, ...begin("trn_1", "Hello"))
    const page = await open("ses_a")
    await page.locator("[data-turn]").first().waitFor()
    expect(await page.locator("aside button:disabled").count()).toBe(0)
    expect(await page.locator("[data-workspace]").count()).toBe(0)
    const heights = await page
      .locator("aside [data-fallback]")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(heights.length).toBe(3)
    for (const height of heights) expect(height).toBeLessThanOrEqual(40)
  })

  test("a session that has an artifact opens its workspace at it; whoever closes it keeps it closed", async () => {
    host.tell(...traceOf("artifact-life"))
    const page = await open("ses_policy")
    await page.locator("[data-workspace] [data-tab=artifact][aria-selected=true]").waitFor()
    await page.getByRole("button", { name: "Hide the workspace" }).click()
    await page.locator("[data-workspace]").waitFor({ state: "detached" })
    await page.reload()
    await page.locator("[data-connection=live]").waitFor({ state: "attached" })
    await page.locator("[data-turn]").first().waitFor()
    expect(await page.locator("[data-workspace]").count()).toBe(0)
    await page.getByRole("button", { name: "Workspace", exact: true }).click()
    await page.locator("[data-workspace]").waitFor()
  })
})

describe("the tabs of the workspace", () => {
  test.each([1440, 390])(
    "at %i px the chosen one is in sight, and the hidden ones are told",
    async (width) => {
      host.tell(...opening, ...begin("trn_1", "Hello"))
      const page = await open("ses_a/policy", width)
      const chosen = page.locator("[data-tab=policy][aria-selected=true]")
      await chosen.waitFor()
      const row = page.locator("[data-workspace] [role=tablist]").first()
      const inSight = async () => {
        const [tab, room] = [await chosen.boundingBox(), await row.boundingBox()]
        return (
          tab !== null && room !== null && tab.x >= room.x - 1 && tab.x + tab.width <= room.x + room.width + 1
        )
      }
      await expect.poll(inSight).toBe(true)
      const more = page.locator("[data-more]")
      expect(Number(await more.getAttribute("data-more"))).toBeGreaterThan(0)
      await more.click()
      await page.getByRole("menuitemradio", { name: "Artifact" }).click()
      await page.locator("[data-tab=artifact][aria-selected=true]").waitFor()
      expect(page.url()).toMatch(/ses_a\/artifact$/)
    },
  )
})

describe("addresses", () => {
  test("a fact and a pane that do not exist are said to be missing", async () => {
    host.tell(...opening, ...begin("trn_1", "Hello"))
    const page = await open("ses_a/timeline/tcl_nowhere")
    await page
      .locator("[data-missing]", { hasText: "This fact is not in this session: tcl_nowhere" })
      .waitFor()
    await page.getByRole("button", { name: "Dismiss" }).click()
    await page.locator("[data-missing]").waitFor({ state: "detached" })
    await page.evaluate(() => {
      location.hash = "#/s/ses_a/nonsense"
    })
    await page.locator("[data-missing]", { hasText: "nonsense" }).waitFor()
    await page.locator("[data-turn]").first().waitFor()
  })

  test("a message has a link of its own, which leads to it", async () => {
    host.tell(...opening)
    for (let n = 0; n < 30; n++) host.tell(...begin(`trn_${n}`, `Message ${n}`))
    const page = await open("ses_a/at/trn_3")
    const named = page.locator("[data-turn=trn_3][data-named]")
    await named.waitFor()
    const place = async () => (await named.boundingBox())?.y ?? -1
    await expect.poll(place).toBeGreaterThan(0)
    await expect.poll(place).toBeLessThan(800)
    expect(await page.locator("[data-missing]").count()).toBe(0)
    await page.evaluate(() => {
      location.hash = "#/s/ses_a/at/msg_nowhere"
    })
    await page.locator("[data-missing]", { hasText: "msg_nowhere" }).waitFor()
  })

  test("an address of what is older than what is read first leads to it, in the conversation and the timeline", async () => {
    host.tell(...opening)
    for (let n = 0; n < 500; n++) host.tell(...begin(`trn_${n}`, `Message ${n}`))
    const page = await open("ses_a/at/trn_3")
    const named = page.locator("[data-turn=trn_3][data-named]")
    await named.getByText("Message 3").waitFor()
    const place = async () => (await named.boundingBox())?.y ?? -1
    await expect.poll(place).toBeGreaterThan(0)
    await expect.poll(place).toBeLessThan(800)
    await expect.poll(() => page.locator("[data-missing]").count()).toBe(0)
    await page.goto(`${host.origin}/#/s/ses_a/timeline/run:trn_100`)
    await page.reload()
    await page.locator("[data-key='run:trn_100']").waitFor()
    await page.locator("[data-later-runs]", { hasText: "396 later turns" }).waitFor()
    await page.getByRole("button", { name: "Show earlier turns" }).click()
    await page.locator("[data-later-runs]", { hasText: "416 later turns" }).waitFor()
    await page.getByRole("button", { name: "Show the newest" }).click()
    await page.locator("[data-key='run:trn_499']").waitFor()
    expect(await page.locator("[data-later-runs]").count()).toBe(0)
  })

  test("what could not be looked for to the end is not called missing", async () => {
    host.tell(...opening)
    for (let n = 0; n < 200; n++) host.tell(...begin(`trn_${n}`, `Message ${n}`))
    host.refusals.get_session = { code: "unavailable", message: "Not now." }
    const page = await open("ses_a/at/trn_3")
    await page.locator("[data-missing=resting]", { hasText: "read so far: trn_3" }).waitFor()
    delete host.refusals.get_session
    await page.getByRole("button", { name: "Look further back" }).click()
    await page.locator("[data-turn=trn_3][data-named]").waitFor()
    await page.evaluate(() => {
      location.hash = "#/s/ses_a/at/msg_nowhere"
    })
    await page.locator("[data-missing=over]", { hasText: "not in this session: msg_nowhere" }).waitFor()
  })

  test("a row that is opened in the timeline is what the address names, and a reload opens it", async () => {
    host.tell(...traceOf("solo-run"))
    const page = await open("ses_login/timeline")
    const row = page.locator("[data-span=tool]").first()
    await row.getByRole("button").first().click()
    const key = (await row.getAttribute("data-key")) ?? ""
    await expect.poll(() => decodeURIComponent(page.url())).toContain(`timeline/${key}`)
    await page.reload()
    await page.locator(`[data-detail="${key}"]`).waitFor()
    await page.locator(`[data-key="${key}"]`).getByRole("button").first().click()
    await expect.poll(() => page.url()).toMatch(/timeline$/)
  })

  test("turns of the timeline are named by what was asked, also after a reload", async () => {
    host.tell(...opening, ...begin("trn_1", "Fix the login"))
    const page = await open("ses_a/timeline")
    await page.locator("[data-span=run]", { hasText: "Fix the login" }).waitFor()
    await page.reload()
    await page.locator("[data-span=run]", { hasText: "Fix the login" }).waitFor()
    await page.locator("[data-axis] [data-tick]").first().waitFor({ state: "attached" })
  })
})

describe("many sessions", () => {
  beforeEach(() => {
    for (let n = 100; n < 330; n++)
      host.tell({ session_id: `ses_${n}`, type: "session.created", payload: { title: `Talk ${n}` } })
    host.tell(...opening, ...begin("trn_1", "Hello"))
  })

  test("those beyond the first hundred are read on, and found by the host, without a tab for each", async () => {
    const page = await open("ses_a")
    const tabs = page.locator("[data-session]")
    await expect.poll(() => tabs.count()).toBe(100)
    await page.getByRole("button", { name: "All sessions" }).click()
    const list = page.getByRole("dialog", { name: "All sessions" })
    await list.getByRole("searchbox").fill("talk 101")
    await list.getByRole("link", { name: "Talk 101" }).waitFor()
    await expect.poll(() => list.getByRole("link").count()).toBe(1)
    await list.getByRole("searchbox").fill("")
    await list.getByRole("button", { name: "Show older sessions" }).click()
    await list.getByRole("link", { name: "Talk 150" }).waitFor()
    await list.getByRole("button", { name: "Show older sessions" }).click()
    await expect.poll(() => list.getByRole("link").count()).toBe(231)
    await expect.poll(() => list.getByRole("button", { name: "Show older sessions" }).count()).toBe(0)
    expect(await tabs.count()).toBe(100)
    await list.getByRole("link", { name: "Talk 101" }).click()
    await page.locator("[data-session=ses_101][aria-current=page]").waitFor()
    await expect.poll(() => tabs.count()).toBe(101)
  })

  test("a tab is closed by pointer and by keyboard, stays closed after a reload, and its session is in the list", async () => {
    const page = await open("ses_a")
    const tab = (id: string) => page.locator(`[data-session=${id}]`)
    await tab("ses_329").hover()
    await page.locator("[data-close-tab=ses_329]").click()
    await tab("ses_329").waitFor({ state: "detached" })
    await tab("ses_a").focus()
    await page.keyboard.press("Delete")
    await tab("ses_a").waitFor({ state: "detached" })
    await page.locator("[data-session=ses_328][aria-current=page]").waitFor()
    await tab("ses_320").focus()
    await page.keyboard.press("Delete")
    await page.locator("[data-session=ses_319]:focus").waitFor()
    await page.reload()
    await tab("ses_327").waitFor()
    expect(await tab("ses_320").count()).toBe(0)
    expect(await tab("ses_329").count()).toBe(0)
    await page.getByRole("button", { name: "All sessions" }).click()
    await page.getByRole("dialog").getByRole("link", { name: "Talk 329" }).click()
    await page.locator("[data-session=ses_329][aria-current=page]").waitFor()
    // The session in front, from anywhere.
    await page.locator("main section").first().press("x")
    await tab("ses_329").waitFor({ state: "detached" })
  })
})

test("a message that was taken out of the queue can be sent again, at its end", async () => {
  host.tell(
    ...opening,
    of("trn_1", "turn.submitted", { input: [{ kind: "text", text: "First" }], source: "user" }),
    of("trn_1", "turn.started", {}),
    of("trn_2", "turn.submitted", { input: [{ kind: "text", text: "Second" }], source: "user" }),
    {
      session_id: "ses_a",
      thread_id: "thr_a",
      type: "queue.changed",
      payload: {
        change: "enqueued",
        queued_turn_id: "qtn_2",
        order: [{ queued_turn_id: "qtn_2", turn_id: "trn_2", source: "user" }],
        policy: "fifo",
      },
    },
  )
  const page = await open("ses_a")
  await page
    .locator("[data-queued]")
    .getByRole("button", { name: /Remove/ })
    .click()
  await page.locator("[data-role=undo]", { hasText: "Second" }).waitFor()
  await page.locator("[data-role=undo]").getByRole("button").click()
  await expect.poll(() => host.told.map(({ name }) => name)).toEqual(["remove_queued_turn", "submit_turn"])
  expect(host.told.at(-1)?.input.input).toEqual([{ kind: "text", text: "Second" }])
})

test("keys and commands stand in groups", async () => {
  host.tell(...opening, ...begin("trn_1", "Hello"))
  const page = await open("ses_a")
  await page.locator("[data-turn]").first().waitFor()
  await page.getByRole("button", { name: /Commands$/ }).click()
  const groups = page.locator("[role=listbox] > [role=presentation]")
  await expect.poll(() => groups.allTextContents()).toEqual(["Command", "Go to", "Session"])
  await page.getByRole("combobox").fill("theme")
  await expect.poll(() => groups.allTextContents()).toEqual(["Command"])
  await page.keyboard.press("Escape")
  await page.getByRole("combobox").waitFor({ state: "detached" })
  await page.locator("main section").first().press("?")
  await page.getByRole("heading", { name: "A request in focus" }).waitFor()
})
