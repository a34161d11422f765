import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type PortName, surfaceControls } from "@factum/agent-ui"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { readTrace } from "../../../packages/conformance/src/traces.ts"
import { findChromium } from "./host-process.ts"
import type { Setup } from "./space/main.tsx"
import { servePage } from "./space/serve.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const ports: PortName[] = [
  ...(["artifact.edit", "artifact.rollback", "artifact.export", "artifact.retry", "artifact.read"] as const),
  ...(["evidence.read", "evidence.export", "evidence.review", "session.read", "runtime.respond"] as const),
  ...(["team.stop", "team.close"] as const),
]
const surfaces = ["artifact_workspace", "timeline_evidence", "diagnostics", "team_policy"] as const

vi.setConfig({ testTimeout: 60_000 })

let served: Awaited<ReturnType<typeof servePage>>
let browser: Browser
let page: Page
let errors: string[] = []

beforeAll(async () => {
  served = await servePage()
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
}, 120_000)
afterAll(async () => {
  await browser?.close()
  served?.close()
})
afterEach(async () => {
  await page?.close()
  const met = errors
  errors = []
  expect(met).toEqual([])
})

/** A page on which one surface shows what a recorded trace comes to. */
async function show(trace: string | undefined, setup: Setup, width = 900): Promise<Page> {
  page = await browser.newPage({ viewport: { width, height: 800 }, reducedMotion: "reduce" })
  page.on("pageerror", (error) => errors.push(String(error)))
  await page.goto(served.url)
  const facts = trace === undefined ? [] : readTrace(trace)
  await page.evaluate(
    ([facts, setup]) => {
      bench.facts(facts)
      bench.setup(setup)
    },
    [facts, setup] as const,
  )
  await page.locator("[data-surface]").waitFor()
  return page
}
const base = { type: "", owner: "artifact", scope: "artifact", sessionId: "ses_1" }
const opening = {
  ...base,
  type: "session.updated",
  owner: "session",
  scope: "session",
  payload: { title: "S" },
}
const version = (versionId: string, text: string, more: object = {}) => ({
  ...base,
  type: "artifact.updated",
  artifactId: "art_1",
  payload: {
    kind: "document",
    title: "plan.md",
    mediaType: "text/markdown",
    versionId,
    version: versionId,
    bodyRef: `blob:${versionId}`,
    preview: { text },
    ...more,
  },
})
const openArtifact = async (...versions: [string, string, object?][]) => {
  await show(undefined, { session: "ses_1", surface: "artifact_workspace", ports })
  await tell(...versions)
}
async function tell(...versions: [string, string, object?][]) {
  const events = versions.map(([id, text, more]) => version(id, text, more))
  await page.evaluate(
    ({ events, blobs }) => {
      for (const [ref, text] of blobs) bench.blobs.set(ref, text)
      bench.events(events)
    },
    { events: [opening, ...events], blobs: versions.map(([id, text]) => [`blob:${id}`, text] as const) },
  )
}
const calls = () => page.evaluate(() => bench.calls)

test("[UI-SURF-8] the workspace shows preview, editor, versions, diff, export and handoff", async () => {
  await openArtifact(["1", "# One\n\nfirst"], ["2", "# Two\n\nsecond", { handoff: "publisher" }])
  await page.getByRole("heading", { name: "Two" }).waitFor()
  await page.getByText("Handed to publisher").waitFor()
  await page.getByRole("tab", { name: "Diff" }).click()
  await page.locator("[data-diff=split]").getByText("second").waitFor()
  await page.getByRole("tab", { name: "Versions" }).click()
  await expect.poll(() => page.locator("[data-version]").count()).toBe(2)
  await page.locator("[data-version='1']").getByRole("button", { name: "Show" }).click()
  await page.getByRole("heading", { name: "One" }).waitFor()
  await page.evaluate(() =>
    bench.answers.set("artifact.export", { ok: true, value: { download_ref: { uri: "blob:1" } } }),
  )
  const saved = page.waitForEvent("download")
  await page.locator("[data-control=export]").click()
  expect((await saved).suggestedFilename()).toBe("plan.md")
})

test("[UI-SURF-8] a diff stands in one column on a narrow screen", async () => {
  await openArtifact(["1", "a\nb"], ["2", "a\nc"])
  await page.setViewportSize({ width: 360, height: 800 })
  await page.getByRole("tab", { name: "Diff" }).click()
  await page.locator("[data-diff=unified]").waitFor()
})

test("[UI-SURF-8] a save that fails keeps the confirmed version and the edit", async () => {
  await openArtifact(["1", "first"])
  await page.evaluate(() =>
    bench.answers.set("artifact.edit", { ok: false, code: "conflict", message: "Another version came in." }),
  )
  await page.locator("[data-control=edit]").click()
  await page.locator("[data-editor] .cm-content").press("ControlOrMeta+End")
  await page.keyboard.type(" and mine")
  await page.locator("[data-act=save]").click()
  await page.getByRole("alert").getByText("Another version came in.").waitFor()
  await page.locator("[data-editor]").getByText("first and mine").waitFor()
  await expect.poll(() => page.locator("[data-shown-version]").getAttribute("data-shown-version")).toBe("1")
  await tell(["2", "theirs"])
  await page.getByText("Version 2 came in while you edited version 1.").waitFor()
  await page.locator("[data-editor]").getByText("first and mine").waitFor()
})

test("[UI-SURF-8] what is typed while a save is under way stays, as an edit of the version that was saved", async () => {
  await openArtifact(["1", "first"])
  await page.evaluate(() => {
    bench.answers.set("artifact.edit", { ok: true, value: { version: "2" } })
    bench.held = new Promise((resolve) => addEventListener("saved", () => resolve(), { once: true }))
  })
  await page.locator("[data-control=edit]").click()
  await page.locator("[data-editor] .cm-content").press("ControlOrMeta+End")
  await page.keyboard.type(" and mine")
  await page.locator("[data-act=save]").click()
  await page.locator("[data-edit=saving]").waitFor()
  await page.locator("[data-editor] .cm-content").press("ControlOrMeta+End")
  await page.keyboard.type(" and more")
  await page.evaluate(() => dispatchEvent(new Event("saved")))
  await page.locator("[data-edit=saved]").waitFor()
  await page.getByText("Changes not saved").waitFor()
  await tell(["2", "first and mine"])
  await page.locator("[data-shown-version='2']").waitFor()
  await page.locator("[data-editor]").getByText("first and mine and more").waitFor()
  await page.locator("[data-act=save]").click()
  await expect
    .poll(calls)
    .toMatchObject([
      { call: { versionId: "1", body: "first and mine" } },
      { call: { versionId: "2", body: "first and mine and more" } },
    ])
})

test("[UI-SURF-8] what is cut is said to be cut, and more of it is shown when asked for", async () => {
  const long = Array.from({ length: 50_000 }, (_, n) => `line ${n}`).join("\n")
  await openArtifact(["1", long, { mediaType: "text/plain", preview: { text: "line 0", truncated: true } }])
  await page.getByRole("button", { name: "Read all" }).click()
  await page
    .locator("[data-cut]")
    .getByText(/The first .+ of .+ are shown/)
    .waitFor()
  const text = page.locator("[data-preview=text]")
  expect(await text.textContent()).not.toContain("line 49999")
  await page.locator("[data-cut]").getByRole("button").click()
  await expect.poll(() => text.textContent()).toContain("line 49999")
  expect(await page.locator("[data-cut]").count()).toBe(0)
})

test("[UI-SURF-8] a deleted artifact reads unavailable", async () => {
  await openArtifact(["1", "first"])
  await page.evaluate((event) => bench.events([event]), {
    ...base,
    type: "artifact.deleted",
    artifactId: "art_1",
    payload: {},
  })
  await page.locator("[data-artifact=art_1]").click()
  await page.locator("[data-fallback=unavailable]").getByText("Deleted", { exact: true }).waitFor()
})

test("[UI-A11Y-1] an artifact is edited, saved and rolled back by keyboard alone", async () => {
  await openArtifact(["1", "first"], ["2", "second"])
  await page.locator("[data-control=edit]").waitFor()
  const reach = async (selector: string) => {
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press("Tab")
      if (await page.evaluate((to) => document.activeElement?.matches(to) === true, selector)) return
    }
    throw new Error(`Not reached by Tab: ${selector}`)
  }
  await reach("[data-control=edit]")
  await page.keyboard.press("Enter")
  await page.locator("[data-editor] .cm-focused").waitFor()
  await page.keyboard.press("ControlOrMeta+End")
  await page.keyboard.type("!")
  await page.keyboard.press("ControlOrMeta+s")
  await expect
    .poll(calls)
    .toMatchObject([
      { port: "artifact.edit", call: { artifactId: "art_1", versionId: "2", body: "second!" } },
    ])
  await tell(["3", "second!"])
  await page.getByRole("tab", { name: "Preview", selected: true }).waitFor()
  await page.locator("body").press("Shift+Tab")
  await reach("[data-control=rollback]")
  await page.keyboard.press("Enter")
  await reach("[data-version='1'] [data-act=rollback-to]")
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await expect
    .poll(async () => (await calls()).at(-1))
    .toMatchObject({
      port: "artifact.rollback",
      call: { artifactId: "art_1", versionId: "1" },
    })
})

test("[UI-SAFE-3] an HTML preview reaches no DOM, storage, port or network", async () => {
  const html = `<style>h1 { color: rgb(1, 2, 3) }</style><h1 style="font-size: 41px">Hello</h1><script>top.document.title = "taken"; parent.bench.calls.push("x"); localStorage.x = 1</script>
    <img src="/stolen.png"><img src=x onerror="parent.document.title='taken'"><link rel=stylesheet href="/stolen.css">
    <iframe src="/stolen.html"></iframe><form action="/stolen"><input autofocus onfocus="this.form.submit()"></form>
    <meta http-equiv="refresh" content="0;url=/stolen-refresh"><a href="/stolen-link" target="_top">go</a> <a href="/stolen-inside">stay</a>
    <img src="http://localhost:9/stolen.png">`
  await openArtifact(["1", html, { mediaType: "text/html", title: "page.html" }])
  const frame = page.frameLocator("iframe[data-preview=html]")
  const heading = frame.getByRole("heading", { name: "Hello" })
  await heading.waitFor()
  // Its own styles are drawn.
  const look = await heading.evaluate((one) => {
    const { color, fontSize } = getComputedStyle(one)
    return { color, fontSize, origin: self.origin }
  })
  expect(look).toEqual({ color: "rgb(1, 2, 3)", fontSize: "41px", origin: "null" })
  expect(await page.locator("iframe[data-preview=html]").getAttribute("sandbox")).toBe("")
  const requests: string[] = []
  page.on("request", (request) => requests.push(request.url()))
  await frame.getByText("go").click()
  await frame.getByText("stay").click()
  // Whatever the clicks began has had its turn when another round trip to the server is over.
  await page.evaluate(() => fetch("/after"))
  await expect.poll(() => served.asked).toContain("/after")
  expect(requests.filter((url) => url.includes("stolen-link"))).toEqual([])
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  // A link goes nowhere but to a page of the host that does not let itself be framed.
  expect(served.asked.filter((path) => /stolen(?!-inside)/.test(path))).toEqual([])
  expect(await page.title()).toBe("Surfaces")
  expect(await calls()).toEqual([])
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
  expect(new URL(page.url()).pathname).toBe("/")
})

test.each([
  ["text/csv", 'a,b\n1,"x, y"', "[data-preview=table] td:has-text('x, y')"],
  ["text/plain", "plain words", "[data-preview=text]"],
  ["text/x-typescript", "const a = 1", "[data-preview=code]"],
  ["text/markdown", "**bold**", "[data-preview=markdown] strong"],
  ["image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "img[alt='plan.md']"],
])("[UI-SURF-8] %s has its own preview", async (mediaType, text, selector) => {
  await openArtifact(["1", text, { mediaType }])
  await page.locator(selector).waitFor()
})

test.each(surfaces)("[UI-SURF-22] %s without facts shows its own empty state", async (surface) => {
  await show(undefined, { session: "ses_1", surface, ports })
  await page.evaluate((event) => bench.events([event]), opening)
  await page.locator("[data-fallback=empty]").waitFor()
  await expect.poll(() => page.locator("[data-surface]").getAttribute("data-state")).toBe("empty")
})

test.each(surfaces)("[UI-SURF-22] %s of a session that nobody reported says unknown", async (surface) => {
  await show(undefined, { session: "ses_none", surface, ports })
  await page.locator("[data-fallback=unknown]").waitFor()
})

const matrix: readonly [(typeof surfaces)[number], string, string][] = [
  ["artifact_workspace", "artifact-life", "ses_policy"],
  ["timeline_evidence", "solo-run", "ses_login"],
  ["diagnostics", "solo-run", "ses_login"],
  ["team_policy", "coordinator-team", "ses_delivery"],
]
test.each(matrix)(
  "[UI-SURF-26] %s offers its controls that can act, none without a port",
  async (surface, trace, session) => {
    await show(trace, { session, surface, ports })
    await page.locator("[data-surface] :is(button, dl, li, [data-fallback])").first().waitFor()
    const offered = await page
      .locator("[data-control]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-control") ?? ""))
    const wanted: readonly string[] = surfaceControls[surface]
    expect(offered.filter((control) => !wanted.includes(control))).toEqual([])
    expect(await page.locator("[data-control]:disabled").count()).toBe(0)
    await page.close()
    await show(trace, { session, surface })
    await page.locator("[data-surface] :is(button, dl, li, [data-fallback])").first().waitFor()
    expect(await page.locator("[data-control]").count()).toBe(0)
  },
)

test("[UI-CHECK-9] the body of an artifact is in the workspace", async () => {
  await show("artifact-life", { session: "ses_policy", surface: "artifact_workspace", ports })
  await page.locator("[data-artifact=art_policy]").click()
  await expect.poll(() => page.evaluate(() => bench.opened)).toEqual([{ kind: "artifact", id: "art_policy" }])
  await page
    .locator("[data-preview=markdown]")
    .getByRole("heading", { name: "Data retention policy" })
    .waitFor()
})

test("[UI-CHECK-10] a link to evidence opens the evidence that it names", async () => {
  const at = { session: "ses_login", surface: "timeline_evidence" as const, ports, item: "evd_login_tests" }
  await show("solo-run", at)
  await page.locator("[data-detail=evd_login_tests]").waitFor()
  await page.locator("[data-detail=evd_login_tests]").getByText("Passed").waitFor()
  await page.locator("[data-link=target]").click()
  await expect.poll(() => page.evaluate(() => bench.opened)).toEqual([{ kind: "run", id: "trn_login_1" }])
})

test("[UI-CORE-9] a fact that is opened in the timeline is closed in the conversation, and back", async () => {
  await show("solo-run", { session: "ses_login", surface: "timeline_evidence", ports })
  const span = page.locator("[data-span=tool]").first()
  const key = (await span.getAttribute("data-key")) ?? ""
  await span.getByRole("button").first().click()
  await page.locator(`[data-detail='${key}']`).waitFor()
  await expect.poll(() => page.evaluate((id) => bench.expanded(id), key)).toBe("timeline")
  await page.evaluate((id) => bench.expandInline(id), key)
  await page.locator(`[data-detail='${key}']`).waitFor({ state: "detached" })
})

test("[UI-SURF-9] the timeline is searched, filtered and taken back to a moment", async () => {
  await show("solo-run", { session: "ses_login", surface: "timeline_evidence", ports })
  const spans = page.locator("[data-span]")
  await page.getByRole("searchbox").fill("edit_file")
  await expect.poll(() => spans.count()).toBe(2)
  await page.getByRole("searchbox").fill("")
  await page.getByLabel("Kind").selectOption("tool")
  await expect.poll(() => page.locator("[data-span]:not([data-span=run],[data-span=tool])").count()).toBe(0)
  await page.getByLabel("Kind").selectOption("")
  await page.getByRole("slider").press("Home")
  await page.locator("[data-stood=later]").first().waitFor()
  await expect.poll(() => page.locator("[data-span=run]").getAttribute("data-stood")).toBe("open")
  await page.getByRole("slider").press("End")
  await page.locator("[data-stood]").first().waitFor({ state: "detached" })
})

test("[UI-SAFE-1] a session's report is one file without script, address or foreign markup", async () => {
  await show("solo-run", { session: "ses_login", surface: "timeline_evidence", ports })
  await page.locator("[data-span]").first().waitFor()
  const html = await page.evaluate(() => bench.report())
  expect(html).toContain("constant time")
  expect(html).toContain("edit_file")
  // Each call with what it was given and gave, each turn by what was asked.
  for (const head of ["Input", "Output", "Steps", "Tokens", "Cost", "Decision", "Decided by", "When"])
    expect(html).toContain(`<th>${head}</th>`)
  expect(html).toMatch(/<td>edit_file<\/td><td><pre>[^<]*auth/)
  expect(html).not.toMatch(/<script|<link|<img|src=|javascript:/i)
})

const looks = (["light", "dark"] as const).flatMap((theme) =>
  (["en", "zh"] as const).map((language) => ({ theme, language })),
)
test.each(
  matrix.flatMap(([surface, trace, session]) => looks.map((look) => ({ surface, trace, session, ...look }))),
)(
  "[UI-A11Y-4] an audit finds nothing wrong with $surface, $theme, $language",
  async ({ surface, trace, session, theme, language }) => {
    await show(trace, { session, surface, ports, theme, language })
    await page.locator("[data-surface] :is(button, dl, li, [data-fallback])").first().waitFor()
    // The policy lets no script of a test in, so it comes by the debugger.
    await page.evaluate(axe)
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run: (on: Document) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      return (await axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    })
    expect(found).toEqual([])
  },
)
