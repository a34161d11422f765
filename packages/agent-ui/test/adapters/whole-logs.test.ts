import { readdirSync, readFileSync } from "node:fs"
import { type BaseEvent, verifyEvents } from "@ag-ui/client"
import { EventSchemas } from "@ag-ui/core/schemas"
import { readUIMessageStream, type UIMessageChunk, uiMessageChunkSchema } from "ai"
import { from, lastValueFrom, toArray } from "rxjs"
import { describe, expect, test } from "vitest"
import { AgUiReader, AgUiWriter } from "../../src/adapters/ag-ui/index.ts"
import { AiSdkReader, AiSdkWriter } from "../../src/adapters/ai-sdk/index.ts"
import { readRuntime } from "../../src/adapters/runtime/index.ts"
import type { AgentUiEvent } from "../../src/index.ts"

const conformance = new URL("../../../conformance/", import.meta.url)
const logs = [
  ...readdirSync(new URL("traces/", conformance)).map((name) => `traces/${name}/events.jsonl`),
  ...readdirSync(new URL("scenarios/", conformance)).map((name) => `scenarios/${name}/log.jsonl`),
]

const wired = <T>(value: T): T => JSON.parse(JSON.stringify(value))
/** Everything that Agent UI shows of a log, in the log's order. */
function eventsOf(path: string): AgentUiEvent[] {
  const lines = readFileSync(new URL(path, conformance), "utf8").split("\n")
  const facts = lines.filter((line) => line !== "").map((line): unknown => JSON.parse(line))
  return wired(facts.flatMap((fact) => readRuntime(fact).events))
}

test("there are logs of traces and of scenarios", () => {
  expect(logs.filter((path) => path.startsWith("traces/")).length).toBeGreaterThanOrEqual(20)
  expect(logs.filter((path) => path.startsWith("scenarios/")).length).toBeGreaterThanOrEqual(20)
})

describe.each(["all", "unmapped"] as const)("carrying %s", (carry) => {
  test.each(logs)("[UI-INTEROP-3] %s passes AG-UI's verifier", async (path) => {
    const writer = new AgUiWriter({ carry })
    const sent = eventsOf(path).flatMap((event) => writer.push(event).events)
    sent.push(...writer.close().events)
    for (const one of wired(sent)) EventSchemas.parse(one)
    const source = from(wired(sent) as unknown as BaseEvent[])
    expect(await lastValueFrom(verifyEvents()(source).pipe(toArray()))).toHaveLength(sent.length)
  })

  test.each(logs)("[UI-INTEROP-3] %s is read by the AI SDK's reader to its end", async (path) => {
    const schema = await uiMessageChunkSchema()
    const writer = new AiSdkWriter({ carry })
    const sent = wired(eventsOf(path).flatMap((event) => writer.push(event).events))
    sent.push(...writer.close().events)
    for (const chunk of sent) expect(await schema.validate?.(chunk)).toMatchObject({ success: true })
    let taken = 0
    const stream = new ReadableStream<UIMessageChunk>({
      pull(controller) {
        const chunk = sent[taken++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk as UIMessageChunk)
      },
    })
    const errors: string[] = []
    const onError = (error: unknown) => errors.push(String(error))
    for await (const message of readUIMessageStream({ stream, onError }))
      expect(message.role).toBe("assistant")
    // What the runtime itself says to have failed is the only error.
    expect(errors).toEqual(
      sent.flatMap((chunk) => (chunk.type === "error" ? [`Error: ${chunk.errorText}`] : [])),
    )
    expect(taken).toBe(sent.length + 1)
  })
})

describe("a whole log comes back as it was", () => {
  test.each(logs)("[UI-INTEROP-3] %s through AG-UI", (path) => {
    const original = eventsOf(path)
    const writer = new AgUiWriter()
    const reader = new AgUiReader()
    const said = [...original.map((event) => writer.push(event)), writer.close()]
    const back = said.flatMap(({ events }) => events).flatMap((event) => reader.read(wired(event)).events)
    expect(back).toEqual(original)
    expect(said.flatMap(({ loss }) => loss.lost)).toEqual([])
  })

  test.each(logs)("[UI-INTEROP-3] %s through the AI SDK", (path) => {
    const original = eventsOf(path)
    const writer = new AiSdkWriter()
    const reader = new AiSdkReader()
    const said = [...original.map((event) => writer.push(event)), writer.close()]
    const back = said.flatMap(({ events }) => events).flatMap((event) => reader.read(wired(event)).events)
    expect(back).toEqual(original)
    expect(said.flatMap(({ loss }) => loss.lost)).toEqual([])
  })
})

describe("what no run or message takes", () => {
  const lone = (at: number) => ({ type: "queue.changed", sessionId: "ses_1", sequence: at, payload: {} })
  const begun = { type: "run.started", sessionId: "ses_1", threadId: "thr_1", runId: "run_1" }
  const ended = { ...begun, type: "run.finished", payload: { outcome: "success" } }
  const read = (sent: readonly unknown[]) => {
    const reader = new AgUiReader()
    return sent.flatMap((one) => reader.read(wired(one)).events)
  }

  test("[UI-INTEROP-3] waits for the next run of AG-UI, or goes out in one of its own at the end", () => {
    const writer = new AgUiWriter({ carry: "unmapped" })
    expect(writer.push(lone(1))).toEqual({ events: [], loss: { lost: [], guessed: [] } })
    expect(read(writer.push(begun).events)).toEqual([lone(1), begun])
    writer.push(ended)
    expect(writer.push(lone(2)).events).toEqual([])
    const last = writer.close().events
    expect(last.map(({ type }) => type)).toEqual(["RUN_STARTED", "CUSTOM", "RUN_FINISHED"])
    expect(read(last)).toEqual([lone(2)])
    expect(writer.close().events).toEqual([])
  })

  test("[UI-INTEROP-3] does not wait without bound when no run of AG-UI ever begins", () => {
    const writer = new AgUiWriter()
    const all = Array.from({ length: 600 }, (_, at) => lone(at + 1))
    const sent = all.map((event) => writer.push(event).events)
    expect(sent.filter(({ length }) => length > 0)).toHaveLength(2)
    expect(read([...sent.flat(), ...writer.close().events])).toEqual(all)
    const runs = sent.flat().flatMap((one) => (one.type === "RUN_STARTED" ? [one.runId] : []))
    expect(new Set(runs).size).toBe(2)
  })

  test("[UI-INTEROP-2] is told as lost at once where nothing carries it", () => {
    const lost = ["type", "sequence", "sessionId"]
    const agUi = new AgUiWriter({ carry: "none" })
    expect(agUi.push(lone(1)).loss.lost.toSorted()).toEqual(lost.toSorted())
    agUi.push(begun)
    agUi.push(ended)
    expect(agUi.push(lone(2)).loss.lost.toSorted()).toEqual(lost.toSorted())
    expect(agUi.close()).toEqual({ events: [], loss: { lost: [], guessed: [] } })
    const aiSdk = new AiSdkWriter({ carry: "none" })
    aiSdk.push(begun)
    aiSdk.push(ended)
    expect(aiSdk.push(lone(2))).toMatchObject({ events: [], loss: { lost: expect.arrayContaining(lost) } })
  })

  test("[UI-INTEROP-3] follows the end of an AI SDK message as data that no page draws", () => {
    const writer = new AiSdkWriter({ carry: "unmapped" })
    writer.push(begun)
    writer.push(ended)
    const { events, loss } = writer.push(lone(1))
    expect(events).toMatchObject([{ type: "data-factum", transient: true, data: { covers: 0 } }])
    expect(loss).toEqual({ lost: [], guessed: [] })
    expect(writer.over).toBe(true)
  })
})
