import { expect, test } from "vitest"
import { buildContext, type HistoryEntry, renderTranscript, replay } from "../../src/index.ts"
import { answer, characters, user } from "./given.ts"

const boundary = (text: string): HistoryEntry => ({ kind: "boundary", text })
const history = [
  user("One"),
  answer("First"),
  boundary("old"),
  user("Two"),
  boundary("new <b>"),
  user("Three"),
]

test("the newest boundary stands for all before it", () => {
  expect(replay(history).map(({ entry }) => entry)).toEqual([4, 5])
  const text = renderTranscript(history)
  expect([text.includes("First"), text.includes("old"), text.includes("Two")]).toEqual([false, false, false])
  expect(text).toMatch(/^<turn index="1">\n## Earlier turns, summed up\n\nnew .*\n<\/turn>/)
  expect(text).toContain("## User request\n\nThree")
})

test("what stands before a boundary is accounted for", () => {
  const { record } = buildContext({ history, tokenizer: characters })
  expect(record.excluded.map(({ entry, reason }) => [entry, reason])).toEqual(
    [0, 1, 2, 3].map((entry) => [entry, "compacted"]),
  )
  expect(record.included.map(({ kind }) => kind)).toEqual(["boundary", "user"])
})
