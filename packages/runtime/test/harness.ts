import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Envelope, validateFact } from "@factum/facts"
import { onTestFinished } from "vitest"
import { openSqliteStore, type SqliteStore } from "../src/adapters/sqlite/index.ts"
import { createRuntime, type Model, type ModelChunk, type Runtime, type RuntimeParts } from "../src/index.ts"
import { patience } from "../src/routing/index.ts"

/** A model whose chunks the test gives one by one. */
export type Call = {
  messages: readonly unknown[]
  signal: AbortSignal
  give(...chunks: ModelChunk[]): void
  text(text: string, part_id?: string): void
  finish(): void
  /** Whether the caller has turned away. */
  left: boolean
  /** The stream ends without a last word. */
  cut(): void
}

export function handModel(): { model: Model; call(index: number): Promise<Call>; calls: Call[] } {
  const calls: Call[] = []
  const waiting: (() => void)[] = []
  const model: Model = {
    provider: "hand",
    name: "hand-1",
    async *stream({ messages, signal }) {
      const chunks: (ModelChunk | "cut")[] = []
      let wake = () => {}
      const give = (...more: (ModelChunk | "cut")[]) => {
        chunks.push(...more)
        wake()
      }
      signal.addEventListener("abort", () => wake())
      const own: Call = {
        messages,
        signal,
        left: false,
        give,
        text: (text, part_id = "p0") => give({ kind: "text", part_id, text }),
        finish: () => give({ kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 2 } }),
        cut: () => give("cut"),
      }
      calls.push(own)
      for (const resolve of waiting.splice(0)) resolve()
      try {
        while (!signal.aborted) {
          const chunk = chunks.shift()
          if (chunk === "cut") return
          if (chunk !== undefined) yield chunk
          else
            await new Promise<void>((resolve) => {
              wake = resolve
            })
        }
      } finally {
        own.left = true
      }
    },
  }
  async function call(index: number): Promise<Call> {
    for (;;) {
      const found = calls[index]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return { model, call, calls }
}

/** A model that answers every message with the same text. */
export function echoModel(answer = "Hello"): Model {
  return {
    provider: "echo",
    name: "echo-1",
    async *stream() {
      yield { kind: "text", part_id: "p0", text: answer }
      yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
    },
  }
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "factum-test-"))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A request that fails is not tried again. */
const once = { ...patience, tries: 1 }

export type Opened = { runtime: Runtime; store: SqliteStore; directory: string }

export async function openRuntime(
  model: Model,
  options: { directory?: string } & Partial<RuntimeParts> = {},
): Promise<Opened> {
  const { directory = temporaryDirectory(), ...parts } = options
  const store = await openSqliteStore(directory)
  if (!store.ok) throw new Error(store.message)
  const defects: unknown[] = []
  const runtime = await createRuntime({
    store,
    model,
    patience: once,
    onDefect: (error) => defects.push(error),
    ...parts,
  })
  let closed = false
  const close = async () => {
    if (!closed) await runtime.close()
    closed = true
    if (defects.length > 0) throw defects[0]
  }
  onTestFinished(close)
  return { runtime: { ...runtime, close }, store, directory }
}

/** The result of a command that must succeed. */
export async function done<R = Record<string, string>>(
  runtime: Runtime,
  name: string,
  input: unknown,
  command_id?: string,
): Promise<R> {
  const outcome = await runtime.execute(name, { input, ...(command_id === undefined ? {} : { command_id }) })
  if (!outcome.ok) throw new Error(`${name}: ${JSON.stringify(outcome.refusal)}`)
  return outcome.result as R
}

export async function refused(runtime: Runtime, name: string, body: unknown) {
  const outcome = await runtime.execute(name, body)
  if (outcome.ok) throw new Error(`${name} was carried out: ${JSON.stringify(outcome.result)}`)
  return outcome.refusal
}

export type Submitted = {
  session_id: string
  thread_id: string
  turn_id: string
  status: string
  queued_turn_id?: string
}

export function submit(
  runtime: Runtime,
  text: string,
  more: Record<string, unknown> = {},
): Promise<Submitted> {
  const where = "session_id" in more ? {} : { create: "session" }
  return done<Submitted>(runtime, "submit_turn", { input: [{ kind: "text", text }], ...where, ...more })
}

export function facts(runtime: Runtime, session_id: string): Envelope[] {
  const all: Envelope[] = []
  for (;;) {
    const page = runtime.log.read(session_id, all.at(-1)?.sequence ?? 0, 500)
    if (page.length === 0) return all
    all.push(...page.map((fact) => JSON.parse(fact.text) as Envelope))
  }
}

/** Follows the stream until the facts so far satisfy the test; gives them all. */
export async function until(
  runtime: Runtime,
  session_id: string,
  satisfied: (facts: readonly Envelope[]) => boolean,
): Promise<Envelope[]> {
  const seen: Envelope[] = []
  const stop = new AbortController()
  for await (const page of runtime.log.tail(session_id, 0, stop.signal)) {
    for (const { text } of page) {
      const fact = JSON.parse(text) as Envelope
      const checked = validateFact(fact)
      if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
      seen.push(fact)
      if (!satisfied(seen)) continue
      stop.abort()
      return seen
    }
  }
  throw new Error(`the stream ended after ${seen.map((fact) => fact.type).join(" ")}`)
}

export const ends =
  (type: string, count = 1) =>
  (facts: readonly Envelope[]) =>
    facts.filter((fact) => fact.type === type).length >= count

export const types = (facts: readonly Envelope[]): string[] => facts.map((fact) => fact.type)
