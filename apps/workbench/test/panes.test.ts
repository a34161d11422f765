import { readFileSync } from "node:fs"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { findChromium } from "./host-process.ts"
import { type Loose, TraceHost, traceOf } from "./trace-host.ts"

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

async function open(place: string, begin: (page: Page) => Promise<void> = async () => {}): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1440, height: 800 } })
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  const page = await context.newPage()
  await begin(page)
  await page.goto(host.at(place))
  await page.locator("[data-connection=live]").waitFor({ state: "attached" })
  return page
}

/** The facts of a trace up to an action that is still open then. */
const upTo = (trace: string, action_id: string): Loose[] => {
  const facts = traceOf(trace) as unknown as Loose[]
  return facts.slice(
    0,
    1 + facts.findIndex((fact) => fact.action_id === action_id && /required/.test(fact.type)),
  )
}

const turn = (n: number): Loose[] =>
  [
    { type: "turn.submitted", payload: { input: [{ kind: "text", text: `Message ${n}` }], source: "user" } },
    { type: "turn.started", payload: {} },
    { type: "tool.started", tool_call_id: `tcl_${n}`, payload: { tool: `tool_${n}` } },
    {
      type: "tool.result",
      tool_call_id: `tcl_${n}`,
      payload: { output_ref: { uri: "blob:x", kind: "blob" } },
    },
    { type: "turn.completed", payload: { outcome: "answered" } },
  ].map((fact) => ({ session_id: "ses_a", thread_id: "thr_a", turn_id: `trn_${n}`, ...fact }))

async function report(page: Page): Promise<string> {
  await page.getByRole("button", { name: /Commands$/ }).click()
  await page.getByRole("combobox").fill("report")
  const saved = page.waitForEvent("download")
  await page.keyboard.press("Enter")
  return readFileSync(await (await saved).path(), "utf8")
}

test("a report has the whole session, and says so when it has not", async () => {
  host.tell({ session_id: "ses_a", type: "session.created", payload: { title: "Talk" } })
  host.tell({ session_id: "ses_a", thread_id: "thr_a", type: "thread.started", payload: {} })
  for (let n = 0; n < 150; n++) host.tell(...turn(n))
  host.refusals.get_session = { code: "unavailable", message: "Not now." }
  const page = await open("ses_a")
  const cut = await report(page)
  expect(cut).toContain("Older facts of this session were not read")
  expect(cut).not.toMatch(/Message 3\b/)
  delete host.refusals.get_session
  const whole = await report(page)
  expect(whole).not.toContain("Older facts of this session were not read")
  for (const n of [0, 3, 70, 149]) {
    expect(whole).toMatch(new RegExp(`class="said">Message ${n}<`))
    expect(whole).toMatch(new RegExp(`tool_${n}\\b`))
  }
})

test("an edit that waits for a person is shown as what goes and what comes", async () => {
  host.tell({ session_id: "ses_a", type: "session.created", payload: { title: "Talk" } })
  const of = { session_id: "ses_a", thread_id: "thr_a", turn_id: "trn_1" }
  host.tell({ ...of, type: "thread.started", payload: {} })
  host.tell(...turn(1).slice(0, 2))
  const text = "write /work/add.mjs\npath: add.mjs\nold_text: a - b\nnew_text: a + b"
  const asks = upTo("nine-actions", "act_grant").findLast(
    ({ type, payload }) =>
      type === "action.required" && (payload as { action_type?: string }).action_type === "tool_approval",
  )
  const payload = { ...(asks?.payload as object), tool: "edit_file", safe_input: { text, whole: true } }
  host.tell({ ...of, type: "action.required", action_id: "act_edit", payload })
  const page = await open("ses_a")
  const card = page.locator("[data-action=act_edit][data-open]")
  await card.locator("[data-diff] .diff-removed", { hasText: "-a - b" }).waitFor()
  await card.locator("[data-diff] .diff-added", { hasText: "+a + b" }).waitFor()
  expect(await card.getByText("old_text").count()).toBe(0)
})

test("what depends on the time follows it on a page that stays open", async () => {
  host.tell(...traceOf("background-teammate"))
  const page = await open("ses_nightly/background", (page) => page.clock.setFixedTime("2026-03-06T12:00:00Z"))
  const pane = page.locator("[data-surface=background_teammate]")
  await pane.locator("[data-item]").first().waitFor()
  expect(await pane.getByText("It did not wake when it should have").count()).toBe(0)
  await page.clock.setFixedTime("2026-03-07T02:00:10Z")
  await pane.getByText("It did not wake when it should have").first().waitFor()
})

test("a number that is none is said to be none, and nothing is sent", async () => {
  const facts = upTo("remote-teammate", "act_legal_auth")
  const asked = facts.at(-1)
  const answer_schema = { type: "object", properties: { pages: { type: "integer" } }, required: ["pages"] }
  const payload = { ...(asked?.payload as object), action_type: "user_input", answer_schema, decisions: [] }
  host.tell(...facts.slice(0, -1), { ...asked, type: "action.required", payload })
  const page = await open("ses_contract/remote")
  const pane = page.locator("[data-surface=remote_teammate]")
  await pane.locator("[data-control=answer]").click()
  await pane.getByLabel("pages").fill("many")
  await pane.getByRole("button", { name: "Send" }).click()
  await pane.getByRole("alert").getByText("Give a whole number.").waitFor()
  await pane.locator("input:focus[aria-invalid=true]").waitFor()
  expect(host.told).toEqual([])
  await pane.getByLabel("pages").fill("12")
  await pane.getByRole("button", { name: "Send" }).click()
  await expect.poll(() => host.told.map(({ input }) => input.payload)).toEqual([{ pages: 12 }])
})

test("from the policy a person is led to the request, and decides nothing unseen", async () => {
  host.tell(...upTo("nine-actions", "act_grant"))
  const page = await open("ses_actions/policy")
  await page.locator("[data-policy] [data-act=to-request]").first().click()
  await page.locator("[data-action][data-open]:focus").waitFor()
  expect(await page.locator("[data-policy] [data-control=approve]").count()).toBe(0)
  expect(host.told).toEqual([])
})

test("what needs a person stands above the team", async () => {
  host.tell(...upTo("nine-actions", "act_grant"))
  const page = await open("ses_actions")
  await page.locator("[data-needs]").first().waitFor()
  const top = async (name: string) =>
    (await page.locator(`aside [data-surface=${name}]`).boundingBox())?.y ?? 0
  expect(await top("hitl")).toBeLessThan(await top("team_roster"))
})

test("new facts leave a reader where they went in the graph, until they ask for all of it", async () => {
  const facts = traceOf("parallel-workers") as unknown as Loose[]
  const last = facts.findLastIndex(({ type }) => type.startsWith("subagent."))
  host.tell(...facts.slice(0, last))
  const page = await open(`${facts[0]?.session_id}/graph`)
  await page.locator("[data-drawn]").first().waitFor()
  const place = () => page.locator(".react-flow__viewport").getAttribute("style")
  await page.getByRole("button", { name: "Zoom in" }).click()
  await page.getByRole("button", { name: "Zoom in" }).click()
  const still = async () => {
    const before = await place()
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    return before === (await place())
  }
  await expect.poll(still).toBe(true)
  const chosen = await place()
  const drawn = () => page.locator("[data-drawn]").allTextContents()
  const before = await drawn()
  host.tell(...facts.slice(last))
  await expect.poll(drawn).not.toEqual(before)
  await expect.poll(still).toBe(true)
  expect(await place()).toBe(chosen)
  await page.getByRole("button", { name: "Fit", exact: true }).click()
  await expect.poll(place).not.toBe(chosen)
})
