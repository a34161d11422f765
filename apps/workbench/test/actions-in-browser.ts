import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, Locator } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"
import type { Lines } from "./agent-host.ts"
import { HostProcess } from "./host-process.ts"
import { bare, WorkbenchPage } from "./workbench-page.ts"

type Given = {
  folder: string
  visitor: (options?: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext>
  /** Ends with the other hosts. */
  keep: (host: HostProcess) => void
}

const write = { tool: "write", input: { path: "src/auth.ts" } }
const lines: Lines = {
  look: [
    {
      text: "I look first.",
      calls: [
        { tool: "read", input: { path: "a.ts" } },
        { tool: "search", input: { pattern: "x", in: "src" } },
        { tool: "fetch", input: { url: "https://example.com" } },
      ],
    },
    { text: "That is all." },
  ],
  change: [{ text: "I change it.", calls: [write] }, { text: "The end." }],
  deploy: [{ calls: [{ tool: "ask", input: {} }] }, { text: "Noted." }],
  freely: [{ calls: [{ tool: "ask", input: { free: true } }] }, { text: "Noted." }],
}

/** The page on the real host and runtime, with an agent whose tools are fake. */
export function describeActions({ folder, visitor, keep }: Given): void {
  let host: HostProcess

  async function newHost(): Promise<HostProcess> {
    const script = join(mkdtempSync(join(folder, "lines-")), "lines.json")
    writeFileSync(script, JSON.stringify(lines))
    const main = fileURLToPath(new URL("./agent-host.ts", import.meta.url))
    const one = new HostProcess({ data: mkdtempSync(join(folder, "data-")), script, main })
    keep(one)
    return one.start()
  }

  beforeAll(async () => {
    host = await newHost()
  })

  /** A page on which the message was sent and its question is open. */
  async function asked(message: string, on = host, options = {}) {
    const at = await WorkbenchPage.open(await visitor(options), on.page)
    await at.send(message)
    await card(at).waitFor()
    // The card is whole and in its place in the turn once the session is followed.
    await at.connection("live")
    return at
  }

  const card = (at: WorkbenchPage): Locator => at.page.locator("[data-action][data-open]")
  const said = (at: WorkbenchPage) => at.page.locator("[data-resolved]").textContent()
  const call = (at: WorkbenchPage, tool: string): Locator =>
    at.page.locator("[data-call]", { has: at.page.getByText(tool, { exact: true }) })
  const stateOf = (at: WorkbenchPage, tool: string) => call(at, tool).getAttribute("data-status")

  describe("tools", () => {
    it("stand between the texts of a turn with their input and state, and open to what they gave", async () => {
      const at = await WorkbenchPage.open(await visitor(), host.page)
      await at.send("look")
      await at.ends("completed")
      await expect.poll(() => at.page.locator("[data-call]").count()).toBe(0)
      await at.openSteps()
      const order = async () => {
        const found = await at.lastTurn.locator("[data-part=text], [data-role=tool]").allTextContents()
        const [first, ...rest] = found.map((text) => text.trim())
        return [first, ...rest.slice(0, -1).sort(), rest.at(-1)]
      }
      await expect.poll(order).toEqual(["I look first.", "fetch", "read", "search", "That is all."])
      await expect
        .poll(() => call(at, "search").locator("[data-role=input]").textContent())
        .toBe("pattern: x, in: src")
      await expect.poll(() => stateOf(at, "read")).toBe("done")
      await expect.poll(() => stateOf(at, "fetch")).toBe("failed")
      await expect
        .poll(() => call(at, "fetch").locator("[data-role=failure]").textContent())
        .toBe("The tool failed · The address did not answer.")
      const output = call(at, "read").getByText("The text of a.ts.")
      expect(await output.count()).toBe(0)
      await call(at, "read").locator("button[aria-expanded]").focus()
      await at.page.keyboard.press("Enter")
      await output.waitFor()
      await call(at, "read").getByText('{"path":"a.ts"}').waitFor()
      await call(at, "search").locator("button[aria-expanded]").click()
      await call(at, "search").getByText("Output · only a part is shown").waitFor()
      expect(await at.page.getByText("Proposed call").count()).toBe(0)
      expect(at.errors).toEqual([])
    })
  })

  describe("an approval", () => {
    it("says what is asked and by whom, on the card, the status line, the tab and in the title", async () => {
      const at = await asked("change")
      for (const words of ["Allow write?", "Asked by main", "Tool write", "Asked because"]) {
        await expect.poll(() => card(at).textContent()).toContain(words)
      }
      await at.lastTurn.locator("[data-role=status]", { hasText: "Waiting for you" }).waitFor()
      await expect.poll(() => at.tab()).toMatch(/^Waiting for youchange/)
      await expect.poll(() => at.page.title()).toMatch(/^\(\d+\) ▲ change · Factum$/)
      await expect.poll(() => stateOf(at, "write")).toBe("needsYou")
      expect(at.errors).toEqual([])
    })

    it("that is given lets the call run, and shrinks to a line", async () => {
      const at = await asked("change")
      const sent = at.page.waitForRequest(/respond_action/)
      const action_id = await card(at).getAttribute("data-action")
      await at.button("Allow once").click()
      expect((await sent).postDataJSON().input).toEqual({
        session_id: expect.stringMatching(/^ses_/),
        action_id,
        decision: "allow",
      })
      await at.ends("completed")
      await card(at).waitFor({ state: "detached" })
      await at.openSteps()
      await expect
        .poll(() => said(at))
        .toMatch(/^DoneAllow write\?Allow oncethe owner of the host · .*\d\d:\d\d$/)
      await expect.poll(() => stateOf(at, "write")).toBe("done")
      await expect.poll(() => at.answer()).toBe(bare("I change it.The end."))
      await expect.poll(() => at.page.title()).toMatch(/✓ change · Factum$/)
      expect(at.errors).toEqual([])
    })

    it("changes nothing before the fact is there, and cannot be given twice", async () => {
      const at = await asked("change")
      let go = () => {}
      const held = new Promise<void>((resolve) => {
        go = resolve
      })
      let sent = 0
      await at.page.route(/respond_action/, async (route) => {
        sent++
        await held
        await route.continue()
      })
      await at.button("Allow once").click()
      await card(at).getByText("Sent, waiting for the log").waitFor()
      for (const name of ["Allow once", "Deny"])
        await expect.poll(() => at.button(name).isDisabled()).toBe(true)
      await card(at).focus()
      await at.page.keyboard.press("n")
      expect(await at.page.locator("[data-resolved]").count()).toBe(0)
      go()
      await at.ends("completed")
      expect(sent).toBe(1)
      await at.openSteps()
      await expect.poll(() => said(at)).toContain("Allow once")
    })

    it("is denied by keyboard alone, with a note that the call then tells", async () => {
      const at = await asked("change")
      await at.box.focus()
      const note = card(at).getByPlaceholder("Note (optional)")
      for (let press = 0; press < 20; press++) {
        await at.page.keyboard.press("Shift+Tab")
        if (await note.evaluate((element) => element === document.activeElement)) break
      }
      await at.isFocused(note)
      await at.page.keyboard.type("Not this file, any other.")
      await at.page.keyboard.press("Escape")
      await at.ends("running")
      await at.page.keyboard.press("n")
      await at.ends("completed")
      await at.isFocused(at.page.getByRole("region", { name: "Conversation" }))
      await at.openSteps()
      await expect.poll(() => said(at)).toMatch(/Denythe owner of the host.*Not this file, any other\./)
      await expect
        .poll(() => call(at, "write").locator("[data-role=failure]").textContent())
        .toContain("Not allowed · A person said no. Not this file, any other.")
      expect(at.errors).toEqual([])
    })

    it("is there again after a reload, and after the host was killed, and is then answered", async () => {
      const own = await newHost()
      const at = await asked("change", own)
      await at.page.reload()
      await card(at).waitFor()
      await own.kill()
      await at.connection("lost")
      await at.lastTurn.getByText("Last known: Waiting for you").waitFor()
      await own.start()
      await at.connection("live")
      await at.page.reload()
      await card(at).waitFor()
      await expect.poll(() => at.page.title()).toMatch(/^\(\d+\) ▲ change · Factum$/)
      await at.button("Allow once").click()
      await at.ends("completed")
      await at.openSteps()
      await expect.poll(() => stateOf(at, "write")).toBe("done")
      await expect.poll(() => at.messages()).toEqual(["change"])
    })

    it("is withdrawn when the turn is stopped while it waits", async () => {
      const at = await asked("change")
      await at.button("Stop").click()
      await at.ends("cancelled")
      await at.openSteps()
      await expect.poll(() => said(at)).toMatch(/^CancelledAllow write\?Withdrawn.*\d\d:\d\d$/)
      await expect
        .poll(() => call(at, "write").locator("[data-role=failure]").textContent())
        .toMatch(/^Stopped/)
      await expect.poll(() => stateOf(at, "write")).toBe("cancelled")
      await card(at).waitFor({ state: "detached" })
      await expect.poll(() => at.page.title()).toMatch(/⊘ change · Factum$/)
      expect(at.errors).toEqual([])
    })

    it("of two tabs is given once: the other says so and follows", async () => {
      const one = await asked("change")
      const two = await WorkbenchPage.open(one.page.context(), one.page.url())
      await card(two).waitFor()
      let go = () => {}
      const held = new Promise<void>((resolve) => {
        go = resolve
      })
      await two.page.route(/respond_action/, async (route) => {
        await held
        await route.continue()
      })
      await two.button("Deny").click()
      await card(two).getByText("Sent, waiting for the log").waitFor()
      await one.button("Allow once").click()
      await Promise.all([one.ends("completed"), two.ends("completed")])
      go()
      await two.page.getByText("Your answer was not taken: this had been settled before.").waitFor()
      for (const page of [one, two]) await page.openSteps()
      for (const page of [one, two]) await expect.poll(() => said(page)).toContain("Allow once")
      expect(await said(one)).not.toContain("not taken")
    })

    it("speaks Chinese", async () => {
      const at = await asked("change", host, { locale: "zh-CN" })
      for (const words of ["允许 write？", "提问者：main", "工具 write"])
        await expect.poll(() => card(at).textContent()).toContain(words)
      await at.button("允许一次").click()
      await at.ends("completed")
      await at.openSteps()
      await expect.poll(() => said(at)).toContain("允许一次由主机的所有者决定")
    })
  })

  describe("a question", () => {
    it("has a field for each part of its answer, says at the field what is wrong, and sends what fits", async () => {
      const at = await asked("deploy")
      const field = (name: string) => card(at).locator(`[data-field=${name}]`)
      await at.button("Answer").click()
      await field("place").getByText("This is needed.").waitFor()
      await field("place").locator("select:focus").waitFor()
      await card(at).getByLabel("Environment").selectOption("production")
      await card(at).getByLabel("Machines").fill("12")
      await card(at).getByLabel("Version").fill("twelve")
      await at.button("Answer").click()
      await field("machines").getByText("Give 9 or less.").waitFor()
      await field("place").getByRole("alert").waitFor({ state: "detached" })
      await card(at).getByLabel("Machines").fill("3")
      await at.button("Answer").click()
      await field("version").getByText("This does not fit: pattern.").waitFor()
      await card(at).getByLabel("Version").fill("v12")
      await card(at).getByLabel("Tell the team").selectOption("No")
      const sent = at.page.waitForRequest(/respond_action/)
      await at.button("Answer").click()
      expect((await sent).postDataJSON().input).toMatchObject({
        decision: "answer",
        payload: { place: "production", machines: 3, version: "v12", notify: false },
      })
      await at.ends("completed")
      await at.openSteps()
      await expect.poll(() => said(at)).toContain("Where should it be deployed?Answerthe owner of the host")
      await call(at, "ask").locator("button[aria-expanded]").click()
      await call(at, "ask").getByText('"machines":3').waitFor()
    })

    it("that asks for more than a small form is answered as JSON, or declined without an answer", async () => {
      const at = await asked("freely")
      const box = card(at).getByLabel("Answer, as a JSON object")
      await box.fill("[1]")
      await at.button("Answer").click()
      await card(at).getByText("This is not a JSON object.").waitFor()
      await box.fill('{"places":"here"}')
      await at.button("Answer").click()
      await card(at).getByText("This does not fit: type.").waitFor()
      await box.fill("nonsense")
      const sent = at.page.waitForRequest(/respond_action/)
      await at.button("Not now").click()
      expect((await sent).postDataJSON().input).not.toHaveProperty("payload")
      await at.ends("completed")
      await at.openSteps()
      await expect.poll(() => said(at)).toContain("Not now")
    })

    it("fits a width of 360 pixels, with everything in reach", async () => {
      const at = await asked("deploy", host, { viewport: { width: 360, height: 640 } })
      expect(await at.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      for (const name of ["Answer", "Not now", "Stop"]) {
        const place = await at.button(name).boundingBox()
        expect(place && place.x >= 0 && place.x + place.width <= 360).toBe(true)
      }
      await at.scrollsToTop()
      await at.button("Waiting for you").click()
      await at.isFocused(card(at))
    })
  })
}
