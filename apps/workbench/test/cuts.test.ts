import { readFileSync } from "node:fs"
import { expect, test, vi } from "vitest"
import { live, of, running, visits } from "./visits.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const at = visits()

const begun = (id: string) =>
  of(
    "trn_1",
    "tool.started",
    {
      tool: "read",
      source: "builtin",
      side_effects: [],
      input_preview: { text: "{}", whole: true },
      input_ref: { uri: "record:1", kind: "record" },
    },
    { tool_call_id: id },
  )
const digest = `sha256:${"c".repeat(64)}`
const given = (id: string, text: string, whole = false) =>
  of(
    "trn_1",
    "tool.result",
    {
      preview: { text, whole },
      output_refs: [{ uri: `blob:${digest}`, kind: "output", digest }],
      duration_ms: 10,
    },
    { tool_call_id: id },
  )

test("of an output that is too long to show whole the rest is told, and can be saved", async () => {
  const whole = `${"é".repeat(150_000)}the end`
  at.host.blobs.set(digest, whole)
  at.host.tell(...running("trn_1", "Hello"), begun("tcl_1"), given("tcl_1", "é"))
  const page = await at.open("ses_a")
  const row = page.locator("[data-call=tcl_1]")
  await row.locator("button[aria-expanded=false]").click()
  await row.getByText("Show all of it").click()
  const cut = row.locator("[data-cut]", { hasText: "only the first 200.0 kB of 300.0 kB are shown" })
  const download = page.waitForEvent("download")
  await cut.getByRole("button", { name: "Save all of it as a file" }).click()
  expect(readFileSync(await (await download).path(), "utf8")).toBe(whole)
  expect(await row.locator("[data-excerpt] pre").last().textContent()).toMatch(/^é+$/)
})

test("of a table that is too long the rest is told, and is there as text", async () => {
  const rows = JSON.stringify(Array.from({ length: 120 }, (_, n) => ({ name: `row ${n}` })))
  at.host.tell(...running("trn_1", "Hello"), begun("tcl_1"), given("tcl_1", rows, true))
  const page = await at.open("ses_a")
  const row = page.locator("[data-call=tcl_1]")
  await row.locator("button[aria-expanded=false]").click()
  const cut = row.locator("[data-cut]", { hasText: "only the first 100 of 120 rows are shown" })
  await cut.getByRole("button", { name: "Show it as text" }).click()
  await row.locator("pre", { hasText: "row 119" }).waitFor()
})

test("of a long process the earlier steps are told, and lead to the timeline", async () => {
  at.host.tell(...running("trn_1", "Hello"))
  const page = await at.open("ses_a")
  await live(page)
  at.host.tell(...Array.from({ length: 410 }, (_, n) => begun(`tcl_${n}`)))
  const earlier = page.locator("[data-turn=trn_1] [data-earlier]")
  await earlier.waitFor()
  expect(Number(await earlier.getAttribute("data-earlier"))).toBeGreaterThanOrEqual(10)
  await earlier.click()
  await page.locator("[data-surface=timeline_evidence]").waitFor()
})

test("a turn that failed long ago still says so when it is looked at", async () => {
  at.host.tell(...running("trn_0", "The first"))
  at.host.tell(
    of("trn_0", "turn.failed", { status: "failed", category: "provider_error", reason: "It was away." }),
  )
  for (let n = 1; n < 60; n++) {
    at.host.tell(...running(`trn_${n}`, `Message ${n}`).slice(2))
    at.host.tell(of(`trn_${n}`, "turn.completed", { outcome: "answered" }))
  }
  const page = await at.open("ses_a/at/trn_0")
  await page.locator("[data-turn=trn_0] [data-outcome=failed]", { hasText: "It was away." }).waitFor()
})
