import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, type BrowserContext, chromium, type Locator } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import type { Lines } from "./agent-host.ts"
import { findChromium, HostProcess } from "./host-process.ts"
import { bare, WorkbenchPage } from "./workbench-page.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** An answer that waits for the test before its first word, and again before its last. */
const held = (name: string): Lines => ({
  [name]: [
    { text: [{ wait: `${name} begin` }, "The token ", "check ", { wait: `${name} end` }, "is right."] },
  ],
})
/** What the model says once it has heard what it was steered to. */
const steered: Lines = { "mind the time": [{ text: "Heard." }] }
const write = { tool: "write", input: { path: "src/auth.ts" } }
const lines: Lines = {
  ...held("bind"),
  ...held("status"),
  ...held("once"),
  ...held("two ways"),
  ...held("away"),
  ...held("rows"),
  ...steered,
  "mind the time": [{ text: "Heard." }],
  look: [
    {
      text: "I look first.",
      calls: [
        { tool: "read", input: { path: "a.ts" } },
        { tool: "fetch", input: { url: "https://example.com" } },
      ],
    },
    { text: "That is all." },
  ],
  change: [{ text: "I change it.", calls: [write] }, { text: "The end." }],
  hand: [
    {
      text: "All of us are done and closed.",
      calls: [{ tool: "delegate", input: { agent: "scout", task: "go" } }],
    },
    { text: "It came back." },
  ],
  go: [{ text: "I am done and closed.", calls: [write] }, { text: "It is written." }],
  rewrite: [
    {
      calls: [{ tool: "write_artifact", input: { title: "Plan", content: "# Plan\n\nThe first words." } }],
    },
    { text: "It is kept." },
  ],
  keep: [
    {
      calls: [
        { tool: "write_artifact", input: { title: "plan.md", content: "# Plan\n\nThe words of the plan." } },
      ],
    },
    { text: "It is kept." },
  ],
}

const folder = mkdtempSync(join(tmpdir(), "factum-real-"))
const hosts: HostProcess[] = []
const contexts: BrowserContext[] = []
let browser: Browser
let host: HostProcess

beforeAll(async () => {
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
  const script = join(mkdtempSync(join(folder, "lines-")), "lines.json")
  writeFileSync(script, JSON.stringify(lines))
  const main = fileURLToPath(new URL("./agent-host.ts", import.meta.url))
  const one = new HostProcess({ data: mkdtempSync(join(folder, "data-")), script, main })
  hosts.push(one)
  return one.start()
}

async function open(on = host): Promise<WorkbenchPage> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  return WorkbenchPage.open(context, on.page)
}

async function said(message: string, on = host): Promise<WorkbenchPage> {
  const at = await open(on)
  await at.send(message)
  await expect.poll(() => at.page.url()).toMatch(/ses_/)
  await at.connection("live")
  return at
}

const card = (at: WorkbenchPage): Locator => at.page.locator("[data-action][data-open]")
const surface = (at: WorkbenchPage, name: string): Locator => at.page.locator(`[data-surface=${name}]`)
const inPane = async (at: WorkbenchPage, pane: string): Promise<void> => {
  const base = at.page.url().replace(/(#\/s\/[^/]+).*/, "$1")
  await at.page.goto(`${base}/${pane}`)
}
const texts = async (at: WorkbenchPage) =>
  (await at.lastTurn.locator("[data-part=text]").allTextContents()).map((text) => text.trim())

describe("a run", () => {
  test("[UI-CHECK-1] the stream is asked for before a message is sent, and no word is lost, on a real host", async () => {
    const at = await said("look")
    await at.ends("completed")
    const asked: string[] = []
    at.page.on("request", (request) => asked.push(request.url()))
    await at.page.reload()
    await at.connection("live")
    await at.send("bind")
    host.release("bind begin")
    host.release("bind end")
    await at.ends("completed", "bind")
    await expect.poll(() => at.answer()).toBe(bare("The token check is right."))
    const first = (part: string) => asked.findIndex((url) => url.includes(part))
    expect(first("/facts?after=")).toBeGreaterThanOrEqual(0)
    expect(first("/facts?after=")).toBeLessThan(first("submit_turn"))
  })

  test("[UI-CHECK-2] what the runtime does is on screen before the first text, on a real host", async () => {
    const at = await said("status")
    await at.lastTurn.locator("[data-role=status]").getByText("Waiting for the model").waitFor()
    expect(await at.answer()).toBe("")
    host.release("status begin")
    await at.lastTurn.locator("[data-role=status]").getByText("Answering").waitFor()
    host.release("status end")
    await at.ends("completed")
  })

  test("[UI-CHECK-3] text and tools stand in the order of their facts, on a real host", async () => {
    const at = await said("look")
    await at.ends("completed")
    await at.openSteps()
    const order = () =>
      at.lastTurn
        .locator("[data-part=text], [data-call]")
        .evaluateAll((all) => all.map((one) => (one.hasAttribute("data-call") ? "tool" : "text")))
    await expect.poll(order).toEqual(["text", "tool", "tool", "text"])
  })

  test("[UI-CHECK-4] a tool is visible while it runs, and one line when the run is done, on a real host", async () => {
    const at = await said("change")
    await card(at).waitFor()
    await at.page.locator("[data-call]").waitFor()
    await at.button("Allow once").click()
    await at.ends("completed")
    await at.page.locator("[data-steps][aria-expanded=false]").waitFor()
    await expect.poll(() => at.page.locator("[data-call]").count()).toBe(0)
  })

  test("[UI-CHECK-5] the answer appears once after it was streamed, on a real host", async () => {
    const at = await said("once")
    host.release("once begin")
    await at.lastTurn.getByText("The token check").waitFor()
    host.release("once end")
    await at.ends("completed")
    await expect.poll(() => texts(at)).toEqual(["The token check is right."])
    await at.page.reload()
    await at.ends("completed")
    await expect.poll(() => texts(at)).toEqual(["The token check is right."])
  })

  test.each(["UI-CHECK-6", "UI-CHECK-19"])(
    "[%s] nothing of tools, errors and metrics stands in the answer, on a real host",
    async () => {
      const at = await said("look")
      await at.ends("completed")
      await expect.poll(() => texts(at)).toEqual(["I look first.", "That is all."])
      await at.openSteps()
      await at.page.getByText("The address did not answer.").waitFor()
      await expect.poll(() => texts(at)).toEqual(["I look first.", "That is all."])
      await inPane(at, "diagnostics")
      await surface(at, "diagnostics").waitFor()
      await expect.poll(() => texts(at)).toEqual(["I look first.", "That is all."])
    },
  )

  test("[UI-CHECK-7] a decision goes out with the id that the request carried, by keyboard, on a real host", async () => {
    const at = await said("change")
    const id = await card(at).getAttribute("data-action")
    const sent = at.page.waitForRequest(/respond_action/)
    await card(at).focus()
    await at.page.keyboard.press("n")
    expect((await sent).postDataJSON().input).toMatchObject({ action_id: id, decision: "deny" })
    await at.ends("completed")
  })
})

describe("queue and steer", () => {
  test("[UI-CHECK-8] they look, read and act differently, and a steer stands once where it was said, on a real host", async () => {
    const at = await said("two ways")
    host.release("two ways begin")
    await at.lastTurn.getByText("The token check").waitFor()
    await at.box.fill("after this")
    const queue = at.page.locator("button[data-control=queue]", { hasText: "Queue" })
    const steer = at.page.locator("button[data-control=steer]", { hasText: "Steer" })
    expect(await queue.getAttribute("class")).not.toBe(await steer.getAttribute("class"))
    const asked: { when?: string }[] = []
    let go = () => {}
    const wait = new Promise<void>((resolve) => {
      go = resolve
    })
    await at.page.route(/submit_turn/, async (route) => {
      const { input } = route.request().postDataJSON()
      asked.push(input)
      if (input.when === "steer") await wait
      await route.continue()
    })
    await at.box.press("Enter")
    await at.queues("after this")
    await at.box.fill("mind the time")
    await at.box.press("Control+Enter")
    const steered = at.page.locator("[data-steered]", { hasText: "mind the time" })
    await at.page.locator("[data-steered=sending]", { hasText: "Sending" }).waitFor()
    go()
    await at.page.locator("[data-steered=told]", { hasText: "You steered" }).waitFor()
    await expect.poll(() => steered.count()).toBe(1)
    expect(await at.page.locator("[data-role=sending]").count()).toBe(0)
    expect(asked.map(({ when }) => when)).toEqual([undefined, "steer"])
    await expect.poll(() => at.messages()).toEqual(["two ways"])
    const order = () =>
      at.page
        .locator("[data-turn]")
        .first()
        .locator("[data-part=text], [data-role=steered]")
        .evaluateAll((all) => all.map((one) => one.textContent?.trim()))
    host.release("two ways end")
    await at.ends("completed", "after this")
    const told = ["The token check is right.", "mind the time", "Heard."]
    await expect.poll(order).toEqual(told)
    await at.page.reload()
    await at.ends("completed", "after this")
    await expect.poll(order).toEqual(told)
    await expect.poll(() => steered.count()).toBe(1)
    expect(at.errors).toEqual([])
  })

  test("[UI-A11Y-1] what waits is promoted and removed by keyboard alone, on a real host", async () => {
    const at = await said("rows")
    for (const text of ["one", "two"]) await at.send(text)
    await at.queues("one", "two")
    const reach = async (name: string) => {
      await at.box.focus()
      for (let press = 0; press < 20; press++) {
        await at.page.keyboard.press("Shift+Tab")
        if ((await at.page.locator(":focus").getAttribute("aria-label")) === name) return
      }
      throw new Error(`Not reached by Tab: ${name}`)
    }
    await reach("Run next: two")
    await at.page.keyboard.press("Enter")
    await at.queues("two", "one")
    await reach("Remove from the queue: one")
    await at.page.keyboard.press("Enter")
    await at.queues("two")
    await at.isFocused(at.box)
    host.release("rows begin")
    host.release("rows end")
    await at.ends("completed", "two")
    await expect.poll(() => at.messages()).toEqual(["rows", "two"])
  })
})

describe("artifacts", () => {
  async function kept(): Promise<WorkbenchPage> {
    const at = await said("keep")
    await card(at).focus()
    await at.page.keyboard.press("y")
    await at.ends("completed")
    return at
  }

  test("[UI-CHECK-9] the body is in the workspace and not in the transcript, on a real host", async () => {
    const at = await kept()
    const conversation = at.page.getByRole("region", { name: "Conversation" })
    await at.lastTurn.locator("[data-part=text]", { hasText: "It is kept." }).waitFor()
    expect(await conversation.textContent()).not.toContain("The words of the plan.")
    await inPane(at, "artifact")
    await surface(at, "artifact_workspace").getByText("The words of the plan.").waitFor()
    expect(await conversation.textContent()).not.toContain("The words of the plan.")
  })

  test("its versions, kind and bodies are the same after a reload, on a real host", async () => {
    const at = await said("rewrite")
    await at.button("Allow once").click()
    await at.ends("completed")
    await inPane(at, "artifact")
    const pane = surface(at, "artifact_workspace")
    await at.page.locator("[data-control=edit]").click()
    await at.page.locator("[data-editor] .cm-focused").waitFor()
    await at.page.keyboard.press("ControlOrMeta+End")
    await at.page.keyboard.type(" And more.")
    await at.page.keyboard.press("ControlOrMeta+s")
    await at.page.locator("[data-shown-version='2']").waitFor()
    const isWhole = async () => {
      expect(await pane.textContent()).not.toContain("Kind not reported")
      await pane.locator("[data-preview=markdown]", { hasText: "And more." }).waitFor()
      await at.page.getByRole("tab", { name: "Diff" }).click()
      await pane.getByRole("tabpanel").getByText("The first words.").first().waitFor()
      await at.page.getByRole("tab", { name: "Versions" }).click()
      await expect.poll(() => pane.locator("[data-version] time").count()).toBe(2)
      await pane.locator("[data-version='1']").getByRole("button", { name: "Show", exact: true }).click()
      await pane.locator("[data-preview=markdown]", { hasText: "The first words." }).waitFor()
      expect(await pane.locator("[data-preview]").textContent()).not.toContain("And more.")
      // An edit is of the newest version, whichever was looked at.
      await at.page.locator("[data-control=edit]").click()
      await at.page.locator("[data-shown-version='2']").waitFor()
      await at.page.getByRole("tab", { name: "Preview" }).click()
    }
    await isWhole()
    await at.page.reload()
    await at.connection("live")
    await isWhole()
  })

  test("[UI-A11Y-1] one is edited, saved and rolled back by keyboard alone, on a real host", async () => {
    const at = await kept()
    await inPane(at, "artifact")
    await surface(at, "artifact_workspace").getByText("The words of the plan.").waitFor()
    const reach = async (selector: string) => {
      for (let press = 0; press < 120; press++) {
        await at.page.keyboard.press("Tab")
        if (await at.page.evaluate((to) => document.activeElement?.matches(to) === true, selector)) return
      }
      throw new Error(`Not reached by Tab: ${selector}`)
    }
    await reach("[data-control=edit]")
    await at.page.keyboard.press("Enter")
    await at.page.locator("[data-editor] .cm-focused").waitFor()
    await at.page.keyboard.press("ControlOrMeta+End")
    await at.page.keyboard.type(" And more.")
    await at.page.keyboard.press("ControlOrMeta+s")
    await surface(at, "artifact_workspace").getByText("And more.").waitFor()
    await at.page.getByRole("tab", { name: "Preview", selected: true }).waitFor()
    await at.page.locator("[data-shown-version='2']").waitFor()
    await reach("[data-control=rollback]")
    await at.page.keyboard.press("Enter")
    await reach("[data-version='1'] [data-act=rollback-to]")
    await at.page.keyboard.press("Enter")
    await at.page.keyboard.press("Enter")
    await at.page.locator("[data-shown-version='3']").waitFor()
  })
})

describe("an edit", () => {
  test("[UI-SURF-8] what is not saved outlives a reload, and no letter of it is taken for a shortcut, on a real host", async () => {
    const at = await said("keep")
    await card(at).focus()
    await at.page.keyboard.press("y")
    await at.ends("completed")
    await inPane(at, "artifact")
    await at.page.locator("[data-control=edit]").click()
    await at.page.locator("[data-editor] .cm-focused").waitFor()
    await at.page.keyboard.press("ControlOrMeta+End")
    // Each of these letters is a shortcut elsewhere.
    await at.page.keyboard.type(" Mine alone. cuig?")
    await at.page.getByText("Changes not saved").first().waitFor()
    await at.page.reload()
    await at.page.locator("[data-editor]").getByText("Mine alone.").waitFor()
    await at.page.locator("[data-act=save]").click()
    await at.page.locator("[data-shown-version='2']").waitFor()
    await at.page.reload()
    await surface(at, "artifact_workspace").getByText("Mine alone. cuig?").waitFor()
    await expect.poll(() => at.page.evaluate(() => Object.keys(localStorage).join())).not.toContain("edit.")
    await expect.poll(() => at.page.getByText("Changes not saved").count()).toBe(0)
  })
})

describe("what waits", () => {
  test("in another session is told beside this one, and `u` goes there, on a real host", async () => {
    const own = await newHost()
    const waiting = await said("change", own)
    await card(waiting).waitFor()
    const [, elsewhere] = /(ses_\w+)/.exec(waiting.page.url()) ?? []
    const at = await said("keep", own)
    await at.button("Allow once").click()
    await at.ends("completed")
    const needs = surface(at, "hitl").first()
    await needs.getByText("Nothing needs you in this session").waitFor()
    await needs.locator(`[data-needs-in=${elsewhere}]`).waitFor()
    await at.page.getByRole("region", { name: "Conversation" }).focus()
    await at.page.keyboard.press("u")
    await expect.poll(() => at.page.url()).toContain(elsewhere)
    await card(at).waitFor()
  })

  test("a card shows its keys only while they act, on a real host", async () => {
    const at = await said("keep")
    await card(at).waitFor()
    const keys = card(at).locator("[data-key]")
    const shown = () => keys.evaluateAll((all) => all.map((one) => getComputedStyle(one).visibility))
    await at.isFocused(at.box)
    expect(new Set(await shown())).toEqual(new Set(["hidden"]))
    await card(at).focus()
    expect(new Set(await shown())).toEqual(new Set(["visible"]))
    await card(at).getByRole("textbox").first().focus()
    expect(new Set(await shown())).toEqual(new Set(["hidden"]))
    await at.page.keyboard.press("Escape")
    await at.page.keyboard.press("n")
    await at.ends("completed")
    await at.openSteps()
    await at.lastTurn.locator("[data-resolved]").waitFor()
    expect(await at.lastTurn.textContent()).not.toContain("Its output was not kept")
  })
})

test("the first page opens at its top, however low the window, on a real host", async () => {
  const host = await new HostProcess({ data: mkdtempSync(join(folder, "data-")) }).start()
  hosts.push(host)
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 360, height: 500 } })
  contexts.push(context)
  const at = await WorkbenchPage.open(context, host.page)
  const scroller = at.page.locator("main section").first()
  await at.page.getByRole("table").waitFor()
  const height = await scroller.evaluate((element) => element.scrollHeight - element.clientHeight)
  expect(height).toBeGreaterThan(0)
  // What follows the end does so in the next frames.
  for (let frame = 0; frame < 5; frame++)
    expect(
      await scroller.evaluate(
        (element) => new Promise((resolve) => requestAnimationFrame(() => resolve(element.scrollTop))),
      ),
    ).toBe(0)
})

describe("a teammate", () => {
  test.each(["UI-CHECK-11", "UI-CHECK-15"])(
    "[%s] it stands as its facts say, whatever is said of it, and its request names it to the end, on a real host",
    async () => {
      const at = await said("hand")
      await card(at).locator("[data-role=asker]", { hasText: "scout" }).waitFor()
      const row = surface(at, "team_roster").locator("[data-item]", { hasText: "scout" })
      await row.waitFor()
      expect(await row.textContent()).not.toMatch(/Closed|Done/)
      await at.button("Allow once").click()
      await at.ends("completed")
      await expect.poll(() => row.textContent()).toMatch(/Closed|Done/)
      await at.openSteps()
      await at.page.locator("[data-resolved]", { hasText: "scout" }).waitFor()
    },
  )

  test("its session has no tab, and what it asks counts where it works for, also from afar, on a real host", async () => {
    const own = await newHost()
    const at = await said("hand", own)
    await card(at).waitFor()
    const [, session] = /(ses_\w+)/.exec(at.page.url()) ?? []
    await at.page.reload()
    await at.connection("live")
    const tabs = at.page.locator("[data-session]")
    await expect.poll(() => tabs.count()).toBe(1)
    await at.page.goto(`${own.origin}/#/`)
    await at.page.reload()
    await at.page.locator(`[data-session=${session}] [data-state=needsYou]`).first().waitFor()
    await expect.poll(() => at.page.title()).toMatch(/^\(1\) /)
    expect(await tabs.count()).toBe(1)
    await tabs.click()
    await at.button("Allow once").click()
    await at.ends("completed")
    await at.page.goto(`${own.origin}/#/`)
    await expect.poll(() => at.page.title()).toBe("Factum")
  })

  test("[UI-CHECK-12] the worker stands in the graph below who asked it, on a real host", async () => {
    const at = await said("hand")
    await card(at).waitFor()
    await inPane(at, "graph")
    await surface(at, "delegation_graph").getByText("scout").first().waitFor()
  })

  test("[UI-CHECK-13] its words are neither a message nor the answer, on a real host", async () => {
    const at = await said("hand")
    await at.button("Allow once").click()
    await at.ends("completed")
    await expect.poll(() => at.messages()).toEqual(["hand"])
    await expect.poll(() => texts(at)).toEqual(["All of us are done and closed.", "It came back."])
  })

  test("[UI-CHECK-14] the ids of parent and child are the same after a reload and in the transcript, on a real host", async () => {
    const at = await said("hand")
    await at.button("Allow once").click()
    await at.ends("completed")
    const row = surface(at, "team_roster").locator("[data-item]", { hasText: "scout" })
    const ids = async () => {
      if ((await row.locator("dl").count()) === 0) await row.locator("[data-row]").click()
      return [...new Set((await row.innerText()).match(/(?:ses|thr)_\w+/g))].sort()
    }
    const before = await ids()
    expect(before.length).toBeGreaterThanOrEqual(3)
    await at.page.reload()
    await at.ends("completed")
    await row.waitFor()
    await expect.poll(ids).toEqual(before)
    const agent = await row.getAttribute("data-item")
    await inPane(at, `transcript/${agent}`)
    const transcript = surface(at, "teammate_transcript")
    await transcript.getByText("It is written.").waitFor()
    // It names itself and the session that it works for.
    const named = before.filter((id) => id.startsWith("ses_") || id.includes("_sub_"))
    expect(named).toHaveLength(3)
    for (const id of named) await expect.poll(() => transcript.innerText()).toContain(id)
  })
})

describe("what is not known, or not done here", () => {
  test("[UI-SURF-26] no control is enabled that this host does not carry out, on a real host", async () => {
    const at = await said("hand")
    await card(at).waitFor()
    const refused: string[] = []
    at.page.on("response", (response) => {
      if (response.status() === 503) refused.push(response.url())
    })
    for (const pane of ["board", "graph", "reviews", "handoffs", "timeline", "policy", "background"]) {
      await inPane(at, pane)
      await at.page.locator("[data-control]").first().waitFor()
      for (const control of ["delegate", "assign", "continue_agent", "wait", "close", "request_review"])
        await expect.poll(() => at.page.locator(`[data-control=${control}]:enabled`).count()).toBe(0)
    }
    expect(refused).toEqual([])
  })

  test("[UI-CHECK-17] without facts each surface says so, and without a host all are stale and held, on a real host", async () => {
    const own = await newHost()
    const at = await said("away", own)
    own.release("away begin")
    await at.lastTurn.getByText("The token check").waitFor()
    const bare = {
      board: "work_board",
      graph: "delegation_graph",
      handoffs: "handoff_lane",
      reviews: "review_lane",
    }
    for (const [pane, name] of Object.entries(bare)) {
      await inPane(at, pane)
      await surface(at, name).locator("[data-fallback=empty]").waitFor()
    }
    await own.kill()
    await at.connection("lost")
    for (const name of ["team_roster", "task_capsule", "composer", "review_lane"])
      await expect.poll(() => surface(at, name).first().getAttribute("data-state")).toBe("stale")
    await surface(at, "task_capsule")
      .getByText(/^Last known: /)
      .first()
      .waitFor()
    await expect
      .poll(() =>
        at.page
          .locator("[data-control]:enabled:not([data-control=open_detail])")
          .evaluateAll((all) => all.map((one) => one.getAttribute("data-control"))),
      )
      .toEqual([])
    await own.start()
    await at.connection("live")
    await at.ends("failed", "away")
    await expect.poll(() => surface(at, "composer").getAttribute("data-state")).not.toBe("stale")
  })

  test("[UI-CHECK-18] leaving while a session is read leaves the new view untouched, on a real host", async () => {
    const first = await host.talk(["look"])
    const second = await host.talk(["look", "look"])
    const at = await open()
    let go = () => {}
    const wait = new Promise<void>((resolve) => {
      go = resolve
    })
    let answered = false
    await at.page.route(`**/v1/sessions/${first}/opening*`, async (route) => {
      await wait
      await route.continue().catch(() => undefined)
      answered = true
    })
    await at.page.goto(`${host.origin}/#/s/${first}`)
    await at.page.locator(`[data-session=${first}]`).waitFor()
    await at.page.locator("[data-fallback=loading]").first().waitFor()
    await at.page.goto(`${host.origin}/#/s/${second}`)
    await at.ends("completed", "look")
    await expect.poll(() => at.messages()).toEqual(["look", "look"])
    go()
    await expect.poll(() => answered).toBe(true)
    await at.page.evaluate(async () => {
      await fetch("/")
      for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve))
    })
    expect(await at.messages()).toEqual(["look", "look"])
  })

  test("an answer that a host gave is not called missing, and its banner ends with the next thing done", async () => {
    const at = await said("change")
    await card(at).waitFor()
    await at.page.route(/interrupt_turn/, (route) =>
      route.fulfill({
        status: 503,
        json: { ok: false, refusal: { code: "unavailable", message: "This host does not carry out it." } },
      }),
    )
    await at.button("Stop").click()
    const banner = at.page.getByText("The host answered that it does not do this now")
    await banner.waitFor()
    expect(await at.page.getByText("The host did not answer").count()).toBe(0)
    await at.button("Allow once").click()
    await banner.waitFor({ state: "detached" })
    await at.ends("completed")
  })
})
