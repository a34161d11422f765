import { expect, test, vi } from "vitest"
import { live, running, visits } from "./visits.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const at = visits()
const stored = () => localStorage.getItem("factum.token")

test("a token that the host refuses does not replace the one that it took", async () => {
  at.host.token = "secret"
  at.host.tell(...running("trn_1", "Hello"))
  const page = await at.open("ses_a")
  await live(page)
  expect(await page.evaluate(stored)).toBe("secret")
  await page.goto(`${at.host.origin}/#token=theirs&/s/ses_a`)
  await expect.poll(() => page.url()).toMatch(/#\/s\/ses_a$/)
  await live(page)
  await page.locator("[data-turn=trn_1]").waitFor()
  expect(await page.evaluate(stored)).toBe("secret")
})

test("a new token that the host takes replaces the old one", async () => {
  at.host.token = "secret"
  at.host.tell(...running("trn_1", "Hello"))
  const page = await at.open("ses_a")
  await live(page)
  at.host.token = "next"
  await page.goto(`${at.host.origin}/#token=next&/s/ses_a`)
  await expect.poll(() => page.evaluate(stored)).toBe("next")
  await page.locator("[data-turn=trn_1]").waitFor()
})

test("a first token that the host refuses is said to be refused, and not kept", async () => {
  at.host.token = "another"
  const page = await at.open("ses_a")
  await page.getByRole("heading", { name: "The host refused this access token" }).waitFor()
  expect(await page.evaluate(stored)).toBeNull()
})
