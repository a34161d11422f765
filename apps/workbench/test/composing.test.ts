import type { Page } from "playwright-core"
import { expect, test, vi } from "vitest"
import { ended, live, running, visits } from "./visits.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const at = visits()

const box = (page: Page) => page.getByRole("textbox", { name: "Message" })
const attach = (page: Page, name = "notes.txt") =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from("x") })
const chip = (page: Page, state: string) => page.locator(`[data-file="notes.txt"][data-state=${state}]`)
const kept = (page: Page, session: string) =>
  page.evaluate((key) => localStorage.getItem(key), `factum.draft.${session}`)

test.each(["refused", "lost"])(
  "a steer that is %s comes back into the draft, with its files",
  async (how) => {
    at.host.tell(...running("trn_1", "Hello"))
    const page = await at.open("ses_a")
    await live(page)
    if (how === "refused")
      at.host.refusals.submit_turn = { code: "wrong_state", message: "The turn is at its end." }
    else await page.route("**/v1/commands/submit_turn", (route) => route.abort())
    await attach(page)
    await chip(page, "ready").waitFor()
    await box(page).fill("Use the other file")
    await box(page).press("Control+Enter")
    await page
      .getByRole("status")
      .getByText(how === "refused" ? "The turn is at its end." : "The host did not answer")
      .waitFor()
    await expect.poll(() => box(page).inputValue()).toBe("Use the other file")
    await chip(page, "ready").waitFor()
    expect(await kept(page, "ses_a")).toBe("Use the other file")
  },
)

test("a steer that is refused after the person went elsewhere waits in the draft of its session", async () => {
  at.host.tell(...running("trn_1", "Hello"))
  at.host.tell({ session_id: "ses_b", type: "session.created", payload: { title: "Another" } })
  const page = await at.open("ses_a")
  await live(page)
  at.host.refusals.submit_turn = { code: "wrong_state", message: "The turn is at its end." }
  const { promise, resolve } = Promise.withResolvers<void>()
  at.host.held = promise
  await box(page).fill("Use the other file")
  await box(page).press("Control+Enter")
  await expect.poll(() => box(page).inputValue()).toBe("")
  await page.evaluate(() => {
    location.hash = "#/s/ses_b"
  })
  await page.locator("nav [aria-current=page]", { hasText: "Another" }).waitFor()
  await box(page).fill("Other words")
  resolve()
  await expect.poll(() => kept(page, "ses_a")).toBe("Use the other file")
  expect(await box(page).inputValue()).toBe("Other words")
})

test("where the token may only read, nothing can be sent, the reason is said and the words stay", async () => {
  at.host.capabilities = { commands: ["get_session"] }
  at.host.tell(...running("trn_1", "Hello"), ended("trn_1"))
  for (const place of ["", "ses_a"]) {
    const page = await at.open(place)
    await page.locator("form [data-role=why-not]", { hasText: "This host does not offer it" }).waitFor()
    await box(page).fill("Nobody takes this")
    await box(page).press("Enter")
    expect(await page.locator("form button[type=submit]").isDisabled()).toBe(true)
    expect(await box(page).inputValue()).toBe("Nobody takes this")
  }
  expect(at.host.told).toEqual([])
})

test("a message with a file that was not uploaded is held until the file is removed", async () => {
  at.host.tell(...running("trn_1", "Hello"), ended("trn_1"))
  at.host.refusals.blobs = { code: "too_large", message: "It is too large." }
  const page = await at.open("ses_a")
  await live(page)
  await box(page).fill("Look at this file")
  await attach(page)
  await chip(page, "failed").waitFor()
  await box(page).press("Enter")
  await page.locator("form [data-role=why-not]", { hasText: "A file was not uploaded" }).waitFor()
  expect(await page.locator("form button[type=submit]").isDisabled()).toBe(true)
  expect(await box(page).inputValue()).toBe("Look at this file")
  await page.getByRole("button", { name: "Remove notes.txt" }).click()
  await box(page).press("Enter")
  await expect.poll(() => at.host.told.map(({ name }) => name)).toEqual(["submit_turn"])
})

test("a refused message that is edited comes back with its files", async () => {
  at.host.tell(...running("trn_1", "Hello"), ended("trn_1"))
  at.host.refusals.submit_turn = { code: "wrong_state", message: "Not now." }
  const page = await at.open("ses_a")
  await live(page)
  await attach(page)
  await chip(page, "ready").waitFor()
  await box(page).fill("Look at this file")
  await box(page).press("Enter")
  await page.locator("[data-status=unsent]").getByRole("button", { name: "Edit" }).click()
  await expect.poll(() => box(page).inputValue()).toBe("Look at this file")
  await page.locator("[data-file][data-state=ready]").waitFor()
})
