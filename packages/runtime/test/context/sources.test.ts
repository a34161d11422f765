import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { speaker } from "../../src/index.ts"
import { done, ends, openRuntime, submit, temporaryDirectory, until } from "../harness.ts"
import { linesModel, of } from "../loop/given.ts"

function workspace() {
  const root = join(temporaryDirectory(), "work")
  mkdirSync(root)
  writeFileSync(join(root, "notes.md"), "The sky is green.")
  writeFileSync(join(root, "long.md"), "word ".repeat(2_000))
  writeFileSync(join(root, "picture.bin"), Buffer.from([0, 1, 2, 255]))
  writeFileSync(join(root, "..", "outside.md"), "not yours")
  symlinkSync(join(root, "..", "outside.md"), join(root, "link.md"))
  return { cwd: root, roots: [root] }
}

test("[RT-EVT-12] files named in a submission are read within a budget; what is missing or too long is said", async () => {
  const { model, calls } = linesModel([{ text: "Green." }, { text: "Still." }])
  const place = workspace()
  const agent = () => ({ ...speaker, workspace: place, context_tokens: 500 })
  const { runtime, directory } = await openRuntime(model, { agent })
  const stored = await runtime.blobs.put(Buffer.from("From a ref."))
  if ("ok" in stored) throw new Error(stored.reason)
  const ref = { uri: `blob:${stored.digest}`, kind: "blob", title: "the ref" }
  const paths = ["notes.md", "long.md", "gone.md", "picture.bin", "link.md", "../outside.md"]
  const context = [
    ...paths.map((path) => ({ path })),
    { ref },
    { ref: { ...ref, uri: `blob:sha256:${"0".repeat(64)}` } },
  ]
  const { session_id } = await submit(runtime, "What colour?", { context })
  const all = await until(runtime, session_id, ends("turn.completed"))
  const [resolved, ...more] = of(all, "context.resolved")
  expect(more).toEqual([])
  const { selected, missing } = (resolved?.payload ?? {}) as {
    selected: { kind: string; ref: { title: string } }[]
    missing: { name: string; reason: string }[]
  }
  expect(selected.map(({ kind, ref: { title } }) => [kind, title])).toEqual([
    ["source", "notes.md"],
    ["source", "the ref"],
  ])
  expect(missing.map(({ name, reason }) => [name, reason])).toEqual([
    ["long.md", expect.stringContaining("of the budget for context are left")],
    ["gone.md", "There is no such file."],
    ["picture.bin", "It is no text in UTF-8."],
    ["link.md", expect.stringContaining("leads out")],
    ["../outside.md", expect.stringContaining("leads out")],
    ["the ref", expect.stringContaining("not there")],
  ])
  expect(calls[0]?.messages).toEqual([
    {
      role: "user",
      parts: [
        { kind: "text", text: "What colour?" },
        { kind: "text", text: '<context name="notes.md">\nThe sky is green.\n</context>' },
        { kind: "text", text: '<context name="the ref">\nFrom a ref.\n</context>' },
      ],
    },
  ])
  // What was read is told as it was then, also in a later turn and by another process.
  writeFileSync(join(place.cwd, "notes.md"), "The sky is blue.")
  await runtime.close()
  const again = await openRuntime(model, { directory, agent })
  await submit(again.runtime, "Sure?", { session_id })
  await until(again.runtime, session_id, ends("turn.completed", 2))
  expect(calls[1]?.messages[0]).toEqual(calls[0]?.messages[0])
})

test("[RT-SNAP-6] the read model names what was selected and what is missing", async () => {
  const { model } = linesModel([{ text: "Yes." }])
  const { runtime } = await openRuntime(model, { agent: () => ({ ...speaker, workspace: workspace() }) })
  const context = [{ path: "notes.md" }, { path: "gone.md" }]
  const { session_id } = await submit(runtime, "Read", { context })
  const all = await until(runtime, session_id, ends("turn.completed"))
  const { applyFacts, contextBoundarySnapshot, emptySession, supersededBy } = await import("@factum/facts")
  const { state } = applyFacts(emptySession, all, supersededBy(all))
  const read = contextBoundarySnapshot(state, all[1]?.thread_id ?? "")
  expect([read.selected.map(({ ref }) => ref.title), read.missing.map(({ name }) => name)]).toEqual([
    ["notes.md"],
    ["gone.md"],
  ])
  await done(runtime, "get_session", { session_id })
})

test("a secret in a file that is named does not reach the model", async () => {
  const { model, calls } = linesModel([{ text: "Yes." }])
  const place = workspace()
  writeFileSync(join(place.cwd, "keys.txt"), "key=hunter2hunter2")
  const { runtime } = await openRuntime(model, {
    agent: () => ({ ...speaker, workspace: place }),
    secrets: { KEY: "hunter2hunter2" },
  })
  const { session_id } = await submit(runtime, "Read", { context: [{ path: "keys.txt" }] })
  await until(runtime, session_id, ends("turn.completed"))
  const told = JSON.stringify(calls[0]?.messages)
  expect([told.includes("hunter2"), told.includes("key=")]).toEqual([false, true])
})
