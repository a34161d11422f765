import { definitions, type Envelope, type EventDefinition } from "@factum/facts"
import { expect, onTestFinished, test } from "vitest"
import { done, echoModel, ends, facts, openRuntime, submit, until } from "./harness.ts"

/** From now on the class is told in a second version, in which its source has another form. */
function revise(type: string): void {
  const known = definitions as Map<string, EventDefinition>
  const first = known.get(type)
  if (first === undefined) throw new Error(`there is no class ${type}`)
  const upcast = { 1: (payload: Record<string, unknown>) => ({ ...payload, source: `2:${payload.source}` }) }
  known.set(type, { ...first, version: 2, upcast })
  onTestFinished(() => {
    known.set(type, first)
  })
}

test("[RT-ENV-5] a fact of an older version reaches every reader of the log in the present one", async () => {
  const first = await openRuntime(echoModel())
  const { session_id } = await submit(first.runtime, "Hello")
  await until(first.runtime, session_id, ends("turn.completed"))
  const { directory } = first
  await first.runtime.close()
  revise("turn.submitted")

  const { runtime, store } = await openRuntime(echoModel(), { directory })
  const present = { schema_version: 2, payload: { source: expect.stringMatching(/^2:/) } }
  const submitted = (all: readonly Envelope[]) => all.filter(({ type }) => type === "turn.submitted")
  const texts = (all: readonly { text: string }[]) =>
    submitted(all.map(({ text }) => JSON.parse(text) as Envelope))

  expect(submitted(facts(runtime, session_id))).toMatchObject([present])
  const { history } = await done<{ history: Envelope[] }>(runtime, "get_session", { session_id })
  expect(submitted(history)).toMatchObject([present])
  expect(submitted(await until(runtime, session_id, ends("turn.completed")))).toMatchObject([present])
  expect(texts(runtime.log.readAll(0, 100))).toMatchObject([present])
  const stop = new AbortController()
  for await (const page of runtime.log.tailAll(0, stop.signal)) {
    expect(texts(page)).toMatchObject([present])
    stop.abort()
  }
  // What is stored stays as it was.
  expect(texts(store.log.read(session_id, 0, 100))).toMatchObject([{ schema_version: 1 }])
})
