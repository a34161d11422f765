import type { RuntimeEvent } from "@factum/facts"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { axeSource } from "./axe.ts"
import { findChromium } from "./host-process.ts"
import { type Loose, TraceHost, traceOf } from "./trace-host.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

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

async function open(session: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
  const context = await browser.newContext({
    locale: "en-GB",
    viewport: { width: 1280, height: 800 },
    ...options,
  })
  context.setDefaultTimeout(20_000)
  contexts.push(context)
  const page = await context.newPage()
  await page.goto(host.at(session))
  return page
}

const card = (page: Page, id: string) => page.locator(`[data-action="${id}"][data-open]`)
const live = (page: Page) => page.locator("[data-connection=live]").waitFor({ state: "attached" })

/** Facts up to the first that fits, and that one. */
function until(facts: readonly RuntimeEvent[], fits: (fact: RuntimeEvent) => boolean): RuntimeEvent[] {
  return facts.slice(0, facts.findIndex(fits) + 1)
}
const plays = (name: string, fits: (fact: RuntimeEvent) => boolean = () => false) => {
  const facts = traceOf(name)
  const shown = facts.some(fits) ? until(facts, fits) : facts
  host.tell(...shown)
  return { shown, rest: facts.slice(shown.length) }
}
const asks = (type: string) => (fact: RuntimeEvent) =>
  fact.type === "action.required" && fact.payload.action_type === type

const types: [string, string, string[]][] = [
  ["tool_approval", "act_tool", ["approve", "reject"]],
  ["plan_decision", "act_plan", ["approve", "reject", "edit"]],
  ["teammate_plan_decision", "act_teammate", ["approve", "reject"]],
  ["structured_input", "act_form", ["answer"]],
  ["clarification", "act_clarify", ["answer", "answer"]],
  ["permission_grant", "act_grant", ["approve", "reject"]],
  ["delegated_permission", "act_delegated", ["approve", "reject"]],
  ["credential_request", "act_credential", ["answer", "reject"]],
  ["artifact_review", "act_review", ["approve", "reject"]],
]

describe("requests to a person", () => {
  test.each(types)("[UI-SURF-6] %s shows its controls, and only those", async (type, id, controls) => {
    plays("nine-actions", asks(type))
    const page = await open("ses_actions")
    await card(page, id).waitFor()
    const shown = () =>
      card(page, id)
        .locator("[data-decision]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-control")))
    await expect.poll(shown).toEqual(controls)
    await expect.poll(() => page.locator(`[data-needs="${id}"]`).count()).toBe(1)
  })

  test("[UI-HITL-4] a schema becomes a form, answered under the id of its request", async () => {
    plays("nine-actions", asks("structured_input"))
    const page = await open("ses_actions")
    await card(page, "act_form").getByLabel("Sender").selectOption("hello@example.org")
    await card(page, "act_form").getByLabel("Send on").fill("2026-03-09")
    await card(page, "act_form").locator("[data-decision=submit]").click()
    await expect
      .poll(() => host.told.at(-1))
      .toMatchObject({
        name: "respond_action",
        input: {
          action_id: "act_form",
          decision: "submit",
          payload: { sender: "hello@example.org", date: "2026-03-09" },
        },
      })
  })

  test("[UI-HITL-11] an answer is only sent until the fact is there", async () => {
    const { rest } = plays("nine-actions", asks("tool_approval"))
    const page = await open("ses_actions")
    await card(page, "act_tool").locator("[data-decision=approve]").click()
    await card(page, "act_tool").getByText("Sent, waiting for the log").waitFor()
    await expect.poll(() => host.told.length).toBe(1)
    expect(await page.locator("[data-resolved]").count()).toBe(0)
    await live(page)
    host.tell(...until(rest, ({ type }) => type === "action.resolved"))
    await page.locator('[data-action="act_tool"][data-resolved=answered]').waitFor()
  })

  test("[UI-HITL-12] a refused answer leaves the card open, with the reason", async () => {
    plays("nine-actions", asks("tool_approval"))
    host.refusals.respond_action = { code: "wrong_state", message: "The log is being moved." }
    const page = await open("ses_actions")
    await card(page, "act_tool").locator("[data-decision=approve]").click()
    await card(page, "act_tool").getByText("The log is being moved.").waitFor()
    await expect.poll(() => card(page, "act_tool").locator("[data-decision=approve]").isEnabled()).toBe(true)
  })

  test("[UI-CTRL-13] a repeated click while an answer is under way calls the port once", async () => {
    plays("nine-actions", asks("tool_approval"))
    let go = () => {}
    host.held = new Promise((resolve) => {
      go = resolve
    })
    const page = await open("ses_actions")
    await card(page, "act_tool").locator("[data-decision=approve]").dblclick()
    await card(page, "act_tool").focus()
    await page.keyboard.press("y")
    await page.keyboard.press("n")
    go()
    await expect.poll(() => host.told.length).toBe(1)
    expect(host.told.map(({ name }) => name)).toEqual(["respond_action"])
  })

  test("[UI-CHECK-7] a decision goes out with the id that the request carried", async () => {
    plays("nine-actions", asks("permission_grant"))
    const page = await open("ses_actions")
    await card(page, "act_grant").focus()
    await page.keyboard.press("n")
    await expect
      .poll(() => host.told.at(-1)?.input)
      .toMatchObject({ action_id: "act_grant", decision: "reject" })
  })

  test("[UI-CHECK-15] a delegated request names who asked, from arrival to resolution", async () => {
    const { rest } = plays("nine-actions", asks("delegated_permission"))
    const page = await open("ses_actions")
    await card(page, "act_delegated").locator("[data-role=asker]", { hasText: "writer" }).waitFor()
    await live(page)
    host.tell(...until(rest, ({ type }) => type === "action.resolved"))
    await page.locator('[data-action="act_delegated"][data-resolved]', { hasText: "writer" }).waitFor()
  })

  test("[UI-SAFE-1] a secret goes to the host's keeping alone and stays nowhere on the page", async () => {
    plays("nine-actions", asks("credential_request"))
    const page = await open("ses_actions")
    const field = card(page, "act_credential").locator("input[type=password]")
    await field.fill("hunter2-hunter2")
    expect(await page.content()).not.toContain("hunter2")
    await card(page, "act_credential").locator("[data-decision=provide]").click()
    await expect.poll(() => host.told.map(({ name }) => name)).toEqual(["credential", "respond_action"])
    expect(JSON.stringify(host.told[1])).not.toContain("hunter2")
    await expect.poll(() => field.inputValue()).toBe("")
    expect(await page.content()).not.toContain("hunter2")
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("hunter2")
  })
})

describe("a run on screen", () => {
  const begin = (turn: string, text: string): Loose[] => [
    { session_id: "ses_a", type: "session.created", payload: { title: "A talk" } },
    { session_id: "ses_a", thread_id: "thr_a", type: "thread.started", payload: {} },
    of(turn, "turn.submitted", {
      input: [{ kind: "text", text }],
      source: "user",
      metadata: { client_id: turn },
    }),
  ]
  const of = (turn_id: string, type: string, payload: object, more: object = {}) => ({
    session_id: "ses_a",
    thread_id: "thr_a",
    turn_id,
    type,
    payload,
    ...more,
  })
  const delta = (text: string) =>
    of("trn_1", "model.delta", { request_id: "r1", part_id: "p", kind: "text", text })

  test("[UI-CHECK-2] accepted and preparing are on screen before the first text", async () => {
    host.tell(...begin("trn_1", "Hello"))
    const page = await open("ses_a")
    await page.locator("[data-turn=trn_1][data-status=accepted]").waitFor()
    await live(page)
    host.tell(of("trn_1", "turn.started", {}))
    await page.locator("[data-turn=trn_1][data-status=preparing]").waitFor()
    expect(await page.locator("[data-part=text]").count()).toBe(0)
  })

  test("[UI-CHECK-3] text and tools stand in the order of their facts", async () => {
    plays("text-tool-text", ({ type }) => type === "turn.completed")
    const page = await open("ses_weather")
    await page.locator("[data-steps]").click()
    const order = () =>
      page
        .locator("[data-turn] [data-part=text], [data-turn] [data-call]")
        .evaluateAll((all) => all.map((one) => (one.hasAttribute("data-call") ? "tool" : "text")))
    const facts = traceOf("text-tool-text")
    const expected = facts.flatMap((fact) =>
      fact.type === "tool.started"
        ? ["tool"]
        : fact.type === "model.completed" && fact.payload.parts.some(({ kind }) => kind === "text")
          ? ["text"]
          : [],
    )
    await expect.poll(order).toEqual(expected)
  })

  test("[UI-CHECK-4] tools are visible while they run, and one line when the run is done", async () => {
    const { rest } = plays("text-tool-text", ({ type }) => type === "tool.started")
    const page = await open("ses_weather")
    await page.locator("[data-call]").first().waitFor()
    await live(page)
    host.tell(...until(rest, ({ type }) => type === "turn.completed"))
    await page.locator("[data-steps]").waitFor()
    await expect.poll(() => page.locator("[data-call]").count()).toBe(0)
  })

  test("[UI-CHECK-5] the answer appears once after it was reconciled", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    host.tell(delta("The token "), delta("check"))
    await page.getByText("The token check").waitFor()
    host.tell(
      of("trn_1", "model.completed", {
        request_id: "r1",
        finish: "stop",
        corrected: [],
        usage: {},
        parts: [{ kind: "text", part_id: "p", text: "The token check is right." }],
      }),
      of("trn_1", "turn.completed", { outcome: "answered" }),
    )
    await page.locator("[data-outcome=done]").waitFor()
    await expect
      .poll(async () => (await page.locator("[data-part=text]").allTextContents()).map((text) => text.trim()))
      .toEqual(["The token check is right."])
  })

  test.each(["UI-CHECK-6", "UI-CHECK-19"])(
    "[%s] tool words, errors and metrics never stand in the answer",
    async () => {
      plays("failed-tools")
      const page = await open("ses_deploy")
      await page.locator("[data-outcome]").first().waitFor()
      const texts = () => page.locator("[data-part=text]").allTextContents()
      await expect.poll(texts).not.toEqual([])
      await live(page)
      const answer = (await texts()).join(" ")
      for (const fact of traceOf("failed-tools")) {
        if (fact.type === "tool.failed") expect(answer).not.toContain(fact.payload.message)
        if (fact.type === "cost.recorded") expect(answer).not.toContain(fact.payload.request_id)
      }
    },
  )

  test("[UI-CHECK-1] what is sent right after opening is not lost, and the last delta is shown", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    const pieces = Array.from({ length: 300 }, (_, n) => `w${n} `)
    for (const piece of pieces) host.tell(delta(piece))
    await page.getByText("w299").waitFor()
    await expect
      .poll(async () => (await page.locator("[data-part=text]").textContent())?.trim())
      .toBe(pieces.join("").trim())
  })

  test("[UI-PERF-3] deltas change the page at most once in a frame, and the last one is shown", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    host.tell(delta("w "))
    await page.locator("[data-part=text]", { hasText: "w" }).waitFor()
    await page.evaluate(() => {
      const frames: number[] = []
      const next = () =>
        requestAnimationFrame(() => {
          frames.push(0)
          next()
        })
      next()
      Object.assign(globalThis, { frames })
      const text = document.querySelector("[data-part=text]")
      if (text === null) throw new Error("There is no text.")
      // It is told once of all that one publishing changed. What has no frame of its own counts to the one before.
      new MutationObserver(() => frames.push((frames.pop() ?? 0) + 1)).observe(text, {
        subtree: true,
        childList: true,
        characterData: true,
      })
    })
    const pieces = Array.from({ length: 600 }, (_, n) => `w${n} `)
    for (const piece of pieces) {
      host.tell(delta(piece))
      // Each piece arrives by itself, many of them within a frame.
      await new Promise(setImmediate)
    }
    await expect
      .poll(async () => (await page.locator("[data-part=text]").textContent())?.trim())
      .toBe(`w ${pieces.join("")}`.trim())
    const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
    expect(Math.max(...frames)).toBe(1)
  })

  test("[UI-A11Y-2] streaming moves neither focus nor caret", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    const box = page.getByRole("textbox", { name: "Message" })
    await box.fill("half a thought")
    await box.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 4))
    for (let n = 0; n < 20; n++) host.tell(delta(`word${n} `))
    await page.getByText("word19").waitFor()
    expect(
      await box.evaluate((element: HTMLTextAreaElement) => [
        document.activeElement === element,
        element.selectionStart,
      ]),
    ).toEqual([true, 4])
  })

  test("[UI-A11Y-3] a request is announced once, and text not piece by piece", async () => {
    const { rest } = plays("solo-run", ({ type }) => type === "turn.started")
    const page = await open("ses_login")
    await live(page)
    const heard: string[] = []
    await page.exposeFunction("heard", (text: string) => heard.push(text))
    await page.evaluate(() => {
      const tell = (globalThis as unknown as { heard: (text: string) => void }).heard
      const place = document.querySelector("[data-announcer]")
      if (place)
        new MutationObserver(() => tell(place.textContent ?? "")).observe(place, {
          subtree: true,
          childList: true,
          characterData: true,
        })
    })
    host.tell(...until(rest, ({ type }) => type === "action.required"))
    await page.locator("[data-action][data-open]").waitFor()
    await expect.poll(() => heard.filter((text) => text.includes("Waiting for you")).length).toBe(1)
  })

  test("[UI-A11Y-3] the same sentence said twice is announced twice", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    host.tell(delta("It begins.\n\n"))
    const announced = page.locator("[data-announcer]")
    await expect.poll(() => announced.textContent()).toBe("It begins.")
    await announced.evaluate((place) => {
      new MutationObserver(() => {
        if (place.textContent === "Once more.") place.ariaLabel = `${place.ariaLabel ?? ""}!`
      }).observe(place, { subtree: true, childList: true, characterData: true })
    })
    host.tell(delta("Once more.\n\n"))
    await expect.poll(() => announced.getAttribute("aria-label")).toBe("!")
    host.tell(delta("Once more.\n\n"))
    await expect.poll(() => announced.getAttribute("aria-label")).toBe("!!")
  })

  test("[UI-CHECK-8] queue and steer look, read and act differently", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    const queue = page.locator("button[data-control=queue]", { hasText: "Queue" })
    const steer = page.locator("button[data-control=steer]", { hasText: "Steer" })
    expect(await queue.getAttribute("class")).not.toBe(await steer.getAttribute("class"))
    const box = page.getByRole("textbox", { name: "Message" })
    await box.fill("after this")
    await box.press("Enter")
    await box.fill("do this now")
    await box.press("Control+Enter")
    await expect.poll(() => host.told.length).toBe(2)
    expect(host.told.map(({ input }) => input.when)).toEqual([undefined, "steer"])
    expect(host.told[1]?.input.turn_id).toBe("trn_1")
  })

  test("[UI-SURF-1] the composer shows draft, attachment, mode, and how it will send", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    await page.getByRole("textbox", { name: "Message" }).fill("with a file")
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") })
    await page.locator('[data-file="notes.txt"][data-state=ready]').waitFor()
    await page.locator("[data-role=mode]").waitFor()
    await page.locator("button[data-control=queue]").click()
    await expect
      .poll(() => host.told.at(-1)?.input.input)
      .toEqual([
        { kind: "text", text: "with a file" },
        { kind: "document", ref: expect.objectContaining({ uri: `blob:sha256:${"a".repeat(64)}` }) },
      ])
  })

  test("[UI-PERF-2] text that streams changes nothing on screen but its own turn", async () => {
    plays("long-thread")
    const at = { session_id: "ses_long", thread_id: "thr_long", turn_id: "trn_last" }
    host.tell(
      {
        ...at,
        type: "turn.submitted",
        payload: { input: [{ kind: "text", text: "go" }], source: "user" },
      },
      { ...at, type: "turn.started", payload: {} },
    )
    const page = await open("ses_long")
    await live(page)
    await page.locator("[data-turn=trn_last]").waitFor()
    const say = (text: string) => ({
      ...at,
      type: "model.delta",
      payload: { request_id: "r1", part_id: "p", kind: "text", text },
    })
    host.tell(say("first "))
    await page.locator("[data-turn=trn_last] [data-part=text]", { hasText: "first" }).waitFor()
    await page.evaluate(() => {
      const own = "[data-turn=trn_last], [data-announcer], [data-role=elapsed], time"
      const changed: string[] = []
      Object.assign(globalThis, { changed })
      new MutationObserver((all) => {
        for (const { target, type } of all) {
          const element = target instanceof Element ? target : target.parentElement
          // Where things stand may move, and rows that scroll away may go; what they are may not change.
          if (element?.querySelector(":scope > [data-index]")) continue
          if (type !== "attributes" && element?.closest(own) === null)
            changed.push(element.outerHTML.slice(0, 200))
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
    })
    for (let n = 0; n < 50; n++) host.tell(say(`word${n} `))
    await page.locator("[data-turn=trn_last] [data-part=text]", { hasText: "word49" }).waitFor()
    expect(await page.evaluate(() => (globalThis as unknown as { changed: string[] }).changed)).toEqual([])
  })

  test("[UI-SURF-26] no steer without an active run; each control only where it can act", async () => {
    host.tell(
      ...begin("trn_1", "Hello"),
      of("trn_1", "turn.started", {}),
      of("trn_1", "turn.completed", { outcome: "answered" }),
    )
    const page = await open("ses_a")
    await live(page)
    await page.locator("[data-outcome=done]").waitFor()
    await expect
      .poll(() =>
        page
          .locator("form [data-control]")
          .evaluateAll((all) => all.map((one) => one.getAttribute("data-control"))),
      )
      .toEqual(["send"])
  })

  test("[UI-SURF-22] empty states are named, and differ from loading", async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    host.tell({ session_id: "ses_e", type: "session.created", payload: { title: "Empty" } })
    host.slow(async (path) => (path.endsWith("/opening") ? held : undefined))
    const page = await open("ses_e")
    await page.locator("[data-fallback=loading]").first().waitFor()
    go()
    await page.getByText("No messages yet").waitFor()
    await page.getByText("Nothing needs you").waitFor()
  })

  test("[UI-CHECK-16] a compaction is a boundary, and earlier text stays as it was", async () => {
    plays("compaction")
    const page = await open("ses_compact")
    await page.locator("[data-turn]").first().waitFor()
    const said = traceOf("compaction").flatMap((fact) =>
      fact.type === "turn.submitted"
        ? fact.payload.input.flatMap((part) => (part.kind === "text" ? part.text : []))
        : [],
    )
    for (const text of said) await page.locator("[data-role=user]", { hasText: text }).first().waitFor()
    await page.locator("[data-boundary]").first().waitFor()
  })

  test("[UI-SAFE-1] hostile Markdown runs nothing, loads nothing and imitates no control", async () => {
    const asked: string[] = []
    host.tell(...begin("trn_1", "<img src=x onerror=alert(1)>"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    page.on("request", (request) => asked.push(request.url()))
    page.on("dialog", (dialog) => void dialog.dismiss().then(() => asked.push("dialog")))
    await live(page)
    host.tell(
      delta(`[b](#token=t) [c](${host.origin}/#token=t) [d](http://[) `),
      delta(
        '<script>document.title="owned"</script>\n\n![x](https://evil.example/x.png) [a](javascript:alert(1)) ',
      ),
      delta(
        '<button data-decision="approve" class="bg-accent">Allow</button> <iframe src="https://evil.example"></iframe>\n\nThe end.',
      ),
    )
    await page.getByText("The end.").waitFor()
    expect(await page.title()).not.toContain("owned")
    expect(asked.filter((url) => url === "dialog" || url.includes("evil.example"))).toEqual([])
    expect(await page.locator("[data-part=text] :is(script,img,iframe,button,form,style)").count()).toBe(0)
    expect(await page.locator('[data-part=text] a[href^="javascript"]').count()).toBe(0)
    expect(await page.locator('[data-part=text] a[href*="token"]').count()).toBe(0)
    expect(await page.locator("[data-role=user] img").count()).toBe(0)
    // What is not loaded is said, as a link; a box of a task list is there, and nobody can press it.
    const picture = page.locator("[data-part=text] a[data-image]")
    expect(await picture.innerText()).toContain("x · image not loaded: evil.example")
    expect(await picture.getAttribute("href")).toBe("https://evil.example/x.png")
  })

  test("a link that is defined later in the answer leads there, and no other block is drawn again for it", async () => {
    host.tell(...begin("trn_1", "Hello"), of("trn_1", "turn.started", {}))
    const page = await open("ses_a")
    await live(page)
    host.tell(delta("See [the notes][1].\n\nNothing else.\n\n"))
    const other = page.locator("[data-part=text] p", { hasText: "Nothing else." })
    await other.evaluate((element) => Object.assign(globalThis, { other: element }))
    host.tell(delta("[1]: https://notes.example\n\n"))
    await page.locator('[data-part=text] a[href="https://notes.example"]', { hasText: "the notes" }).waitFor()
    expect(await other.evaluate((element) => element === Reflect.get(globalThis, "other"))).toBe(true)
  })

  test("a task list has its boxes, and none can be pressed", async () => {
    host.tell(
      ...begin("trn_1", "What is left?"),
      of("trn_1", "turn.started", {}),
      delta("- [x] read\n- [ ] write\n\nThat is all.\n\n"),
    )
    const page = await open("ses_a")
    await page.getByText("That is all.", { exact: true }).waitFor()
    const boxes = page.locator("[data-part=text] li[data-task] input[type=checkbox]")
    expect(
      await boxes.evaluateAll((all) => all.map((box) => [box.matches(":checked"), box.matches(":disabled")])),
    ).toEqual([
      [true, true],
      [false, true],
    ])
  })
})

describe("tools", () => {
  const digest = `sha256:${"b".repeat(64)}`
  const call = (type: string, payload: object) => ({
    session_id: "ses_t",
    thread_id: "thr_t",
    turn_id: "trn_t",
    tool_call_id: "tcl_1",
    type,
    payload,
  })

  test.each(["UI-SURF-5", "UI-PART-8"])(
    "[%s] input, progress, preview and detail; the whole output is read only when it is opened",
    async () => {
      host.blobs.set(digest, "all of it, to the last line")
      let reads = 0
      host.slow(async (path) => {
        if (path.includes("/blobs/")) reads++
      })
      host.tell(
        { session_id: "ses_t", type: "session.created", payload: { title: "Tools" } },
        { session_id: "ses_t", thread_id: "thr_t", type: "thread.started", payload: {} },
        {
          session_id: "ses_t",
          thread_id: "thr_t",
          turn_id: "trn_t",
          type: "turn.submitted",
          payload: { input: [{ kind: "text", text: "go" }], source: "user" },
        },
        {
          session_id: "ses_t",
          thread_id: "thr_t",
          turn_id: "trn_t",
          type: "turn.started",
          payload: {},
        },
        call("tool.started", {
          tool: "shell",
          source: "builtin",
          side_effects: [],
          input_preview: { text: '{"command":"npm test"}', whole: true },
          input_ref: { uri: "record:1", kind: "record" },
        }),
        call("tool.args", { final: true, preview: { text: '{"command":"npm test"}', whole: true } }),
        call("tool.progress", { attempt: 1, note: "suite 3", done: 61, total: 100 }),
      )
      const page = await open("ses_t")
      const row = page.locator("[data-call=tcl_1]")
      await row.locator("[data-role=progress]", { hasText: "61 %" }).waitFor()
      await live(page)
      host.tell(
        call("tool.result", {
          preview: { text: "all of", whole: false },
          output_refs: [{ uri: `blob:${digest}`, kind: "output", digest }],
          duration_ms: 1200,
        }),
      )
      await page.locator("[data-call=tcl_1][data-status=done]").waitFor()
      expect(reads).toBe(0)
      await row.locator("button[aria-expanded=false]").click()
      await row.locator("[data-control=open_detail]").waitFor()
      await row.getByText("Show all of it").click()
      await row.getByText("all of it, to the last line").waitFor()
      expect(reads).toBe(1)
    },
  )
})

describe("the page", () => {
  test("[UI-CORE-9] a call that is opened in the timeline closes in the conversation, and the other way round", async () => {
    plays("text-tool-text")
    const page = await open("ses_weather", { viewport: { width: 1440, height: 900 } })
    await page.locator("[data-steps]").click()
    const inline = page.locator("[data-call]").first().locator("button[aria-expanded]").first()
    if ((await inline.getAttribute("aria-expanded")) === "false") await inline.click()
    await page.locator("[data-call] [data-control=open_detail]").first().click()
    await page.locator("[data-waterfall] [data-detail]").first().waitFor()
    await page.locator("[data-call]").first().locator("button[aria-expanded=false]").waitFor()
    await inline.click()
    await page.locator("[data-call]").first().locator("[data-role=detail]").waitFor()
    await expect.poll(() => page.locator("[data-waterfall] [data-detail^='tool:']").count()).toBe(0)
  })

  test.each(["UI-HYD-1", "UI-CHECK-18"])(
    "[%s] the tab is there before messages, and leaving mid-way leaves the new view untouched",
    async () => {
      plays("solo-run")
      plays("text-tool-text")
      let go = () => {}
      const held = new Promise<void>((resolve) => {
        go = resolve
      })
      let late = () => {}
      const answered = new Promise<void>((resolve) => {
        late = resolve
      })
      let first = true
      host.slow(async (path) => {
        if (!path.endsWith("/opening") || !first) return
        first = false
        await held
        late()
      })
      const page = await open("ses_login")
      await page.locator("[data-session=ses_login]").waitFor()
      expect(await page.locator("[data-turn]").count()).toBe(0)
      await page.locator("[data-session=ses_weather]").click()
      await page.locator("[data-turn]").first().waitFor()
      const messages = () => page.locator("[data-role=user]").allTextContents()
      const said = traceOf("text-tool-text").flatMap((fact) =>
        fact.type === "turn.submitted"
          ? fact.payload.input.flatMap((part) => (part.kind === "text" ? part.text : []))
          : [],
      )
      await expect.poll(messages).toEqual(said)
      go()
      await answered
      // Whatever came of the late answer has been drawn when another answer and two frames are over.
      await page.evaluate(async () => {
        await fetch("/")
        for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve))
      })
      await page.locator("[data-session=ses_weather][aria-current=page]").waitFor()
      expect(await messages()).toEqual(said)
    },
  )

  test("[UI-PERF-4] a long thread mounts a bounded number of rows", async () => {
    plays("long-thread")
    const page = await open("ses_long")
    await page.locator("[data-turn]").first().waitFor()
    expect(await page.locator("[data-turn]").count()).toBeLessThan(25)
  })

  test("[UI-PERF-4] scrolling away from an open form keeps what was entered", async () => {
    plays("long-thread")
    host.tell(
      {
        session_id: "ses_long",
        thread_id: "thr_long",
        turn_id: "trn_last",
        type: "turn.submitted",
        payload: { input: [{ kind: "text", text: "ask" }], source: "user" },
      },
      {
        session_id: "ses_long",
        thread_id: "thr_long",
        turn_id: "trn_last",
        type: "turn.started",
        payload: {},
      },
      {
        session_id: "ses_long",
        thread_id: "thr_long",
        turn_id: "trn_last",
        action_id: "act_x",
        type: "action.required",
        payload: {
          action_type: "clarification",
          title: "Which?",
          decisions: [{ id: "answer", label: "Answer" }],
          requester: { kind: "agent", name: "lead" },
          decided_by: "human",
          parent: { kind: "turn", id: "trn_last" },
        },
      },
    )
    const page = await open("ses_long")
    await card(page, "act_x").locator("textarea").fill("the second one")
    const region = page.getByRole("region", { name: "Conversation" })
    const scroll = (to: "top" | "end") =>
      region.evaluate((element, to) => {
        element.scrollTo(0, to === "top" ? 0 : element.scrollHeight)
        return element.scrollTop
      }, to)
    await expect.poll(() => scroll("top")).toBeLessThan(100)
    await expect.poll(() => scroll("end")).toBeGreaterThan(100)
    await expect.poll(() => card(page, "act_x").locator("textarea").inputValue()).toBe("the second one")
  })

  test("[UI-I18N-2] another language changes labels and no facts", async () => {
    plays("solo-run")
    const page = await open("ses_login")
    await page.locator("[data-outcome]").first().waitFor()
    const facts = () => page.locator("[data-role=user], [data-part=text]").allTextContents()
    await live(page)
    const before = await facts()
    expect(before).not.toEqual([])
    await page.getByRole("button", { name: "中文 / ZH" }).click()
    await page.getByRole("button", { name: "发送" }).waitFor()
    await expect.poll(facts).toEqual(before)
  })

  test("[UI-A11Y-1] the composer, commands and an approval are worked by keyboard alone, with a visible focus", async () => {
    plays("nine-actions", asks("tool_approval"))
    const page = await open("ses_actions")
    await card(page, "act_tool").waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Commands" }).waitFor()
    await page.keyboard.type("needs you")
    await page.keyboard.press("Enter")
    await expect
      .poll(() => card(page, "act_tool").evaluate((one) => one === document.activeElement))
      .toBe(true)
    await page.keyboard.press("Tab")
    await expect
      .poll(() => page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle))
      .not.toBe("none")
    await card(page, "act_tool").focus()
    await page.keyboard.press("y")
    await expect
      .poll(() => host.told.at(-1)?.input)
      .toMatchObject({ action_id: "act_tool", decision: "approve" })
  })

  test.each([
    ["light", "en-GB"],
    ["dark", "en-GB"],
    ["light", "zh-CN"],
    ["dark", "zh-CN"],
  ] as const)("[UI-A11Y-4] an audit finds nothing at all in %s, %s", async (colorScheme, locale) => {
    plays("nine-actions", asks("structured_input"))
    plays("solo-run")
    const page = await open("ses_actions", { colorScheme, locale })
    await card(page, "act_form").waitFor()
    await page.evaluate(axeSource)
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run: (
            context: Document,
          ) => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
        }
      }
      const { violations } = await axe.run(document)
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    })
    expect(found).toEqual([])
  })
})
