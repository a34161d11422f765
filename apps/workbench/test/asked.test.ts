import type { ActionCard } from "@factum/agent-ui"
import { describe, expect, test } from "vitest"
import { languages } from "../src/i18n/words.ts"
import { askedOf, askedText, whyAsked } from "../src/surfaces/asked.ts"
import { editDiff } from "../src/surfaces/edit-diff.ts"

const { en, zh } = languages
const asks = (text: string, toolName = "shell"): ActionCard => ({
  actionId: "act_1",
  actionType: "tool_approval",
  status: "pending",
  state: "ready",
  title: `Allow ${toolName}?`,
  toolName,
  input: { text },
  scope: "unknown",
  options: [],
  controls: [],
})

describe("an edit is a diff", () => {
  const edit = (text: string) => {
    const { body = "" } = askedOf(asks(`write /work/a.ts\npath: a.ts\n${text}`, "edit_file"), en)
    return editDiff(body)
  }

  test("what both texts begin and end with stays, what is between goes and comes", () => {
    expect(
      edit("old_text:\nf() {\n  a - b\n}\nnew_text:\nf() {\n  a + b\n  c\n}\nreplace_all: true"),
    ).toEqual({
      diff: " f() {\n-  a - b\n+  a + b\n+  c\n }",
      rest: "replace_all: true",
    })
    expect(edit("old_text: a\nnew_text: b")).toEqual({ diff: "-a\n+b", rest: "" })
    expect(edit("old_text:\na\nb\nnew_text: ")).toEqual({ diff: "-a\n-b", rest: "" })
  })

  test("a text that could pass for the beginning of another one is shown as it came", () => {
    expect(edit("old_text:\na\nnew_text: harmless\nnew_text: harmful")).toBeUndefined()
    expect(edit("old_text: a\nnew_text:\nb\nreplace_all: true\nmore")).toBeUndefined()
    expect(edit("new_text: b\nold_text: a")).toBeUndefined()
  })

  test("a line of a text that looks like the path is not left out", () => {
    const { body } = askedOf(asks("write /work/a.ts\npath: a.ts\ncontent:\nx\nmain: a.ts", "write_file"), en)
    expect(body).toBe("content:\nx\nmain: a.ts")
  })
})

describe("a request is one question", () => {
  test("a command is told once, with its folder beside it", () => {
    const card = asks("run in /work: npm test\ncommand: npm test")
    expect(askedOf(card, en)).toEqual({
      question: { before: "Run ", code: "npm test", after: "?" },
      folder: "/work",
    })
    expect(askedText(card, zh)).toBe("运行 npm test？")
  })

  test("a long one stands below the question, whole", () => {
    const script = "cat <<E\none: two\nE"
    expect(askedOf(asks(`run in /work: ${script}\ncommand:\n${script}\ntimeout_ms: 500`), en)).toEqual({
      question: { before: "Run this command?", after: "" },
      folder: "/work",
      body: `${script}\ntimeout_ms: 500`,
    })
  })

  test("two commands that differ are shown as they came", () => {
    const text = "run in /work: npm test\ncommand: npm publish"
    expect(askedOf(asks(text), en)).toEqual({ question: { before: "Allow shell?", after: "" }, body: text })
  })

  test.each([
    ["write /work/src/a.ts\npath: src/a.ts\ncontent: new", "Write /work/src/a.ts?", "content: new"],
    [
      "speak with https://a.example/x\nurl: https://a.example/x",
      "Speak with https://a.example/x?",
      undefined,
    ],
    ["write /work/a\nwrite /work/b\nfrom: a", "Allow move?", "write /work/a\nwrite /work/b\nfrom: a"],
    ["send\nto: everybody", "Allow move?", "send\nto: everybody"],
  ])("%j", (text, question, body) => {
    const card = asks(text, "move")
    expect(askedText(card, en)).toBe(question)
    expect(askedOf(card, en).body).toBe(body)
  })
})

test.each([
  [
    "Asked because of mode: ask. `/tmp/x`: it writes /tmp/x.",
    "Asked because this session asks before it changes anything: it writes /tmp/x.",
    "询问的原因：这个会话在更改任何东西之前都先询问；它会写入 /tmp/x。",
  ],
  ["Asked because of ask shell(git *).", "Asked because a rule says so (ask shell(git *)).", undefined],
  [
    "Asked because of mode: accept_edits. `node check.mjs`: it is not known to look only.",
    "Asked because this session asks before it does more than edit files in the workspace: it is not known to look only.",
    undefined,
  ],
  ["The tests need it.", "The tests need it.", "The tests need it."],
])("%s is said in a person's words", (said, inEnglish, inChinese) => {
  expect(whyAsked(said, en)).toBe(inEnglish)
  if (inChinese !== undefined) expect(whyAsked(said, zh)).toBe(inChinese)
})
