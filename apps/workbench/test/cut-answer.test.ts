import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { cutEnding } from "../../../packages/runtime/src/execution/cut-answer.ts"
import { type Language, languages, WordsContext } from "../src/i18n/words.ts"
import { RunFoot } from "../src/surfaces/RuntimeStatus.tsx"

/** The end of a run as the page draws it, from what the runtime says of a cut answer. */
function drawn(language: Language, cut: "length" | "content_filter", calls: number): string {
  const ending = cutEnding(cut, calls)
  if (ending.status === "completed") throw new Error("A cut answer completes no turn.")
  const { category, reason: message, next = "" } = ending
  const summary = {
    runId: "trn_1",
    status: "failed" as const,
    outcome: "failed",
    entries: 0,
    counts: {},
    failed: 1,
    durationMs: 1000,
    files: [],
    messageIds: [],
    refs: [],
    failure: { category, message, next },
  }
  const foot = createElement(RunFoot, { summary, hasText: true })
  const value = languages[language]
  return renderToStaticMarkup(createElement(WordsContext.Provider, { value }, foot)).replaceAll("&#x27;", "'")
}

describe("an answer that is cut", () => {
  it("is said in words, with what is there of it and what to do", () => {
    const limit = drawn("en", "length", 0)
    expect(limit).toContain('data-partial="output_limit"')
    expect(limit).toContain("The model's answer was cut off at its output limit")
    expect(limit).toContain("before its answer was complete.")
    expect(limit).toContain("Ask it to go on, or raise output_tokens of the model.")
    expect(drawn("en", "length", 2)).toContain("none was executed")
    expect(drawn("en", "content_filter", 0)).toContain("The provider withheld the answer")
  })

  it.each([
    ["length", 0, "模型的回答达到输出上限"],
    ["length", 1, "它要求的调用都没有执行"],
    ["content_filter", 0, "模型服务没有给出这个回答"],
    ["content_filter", 1, "它要求的调用都没有执行"],
  ] as const)("has no English left in Chinese: %s with %i calls", (cut, calls, said) => {
    const page = drawn("zh", cut, calls)
    expect(page).toContain(said)
    const words = page.replaceAll(/<[^>]*>/g, " ").replaceAll("output_tokens", "")
    expect(words).not.toMatch(/[A-Za-z]{2,}/)
  })
})
