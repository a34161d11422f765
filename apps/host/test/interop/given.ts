import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RuntimeParts, speaker } from "@factum/runtime"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { builtinTools } from "@factum/runtime/tools"
import { startHost } from "../../src/host.ts"

/** Writes a file after a person allowed it, then says so. */
export const script = [
  { on: "^write two" },
  { tool_call: { tool: "write_file", arguments: { path: "a.txt", content: "A" } } },
  { tool_call: { tool: "write_file", arguments: { path: "b.txt", content: "B" } } },
  { finish: "tool_calls" },
  { text: "Both written." },
  { on: "^write" },
  { reasoning: "A file is asked for." },
  { text: "I write it." },
  { tool_call: { tool: "write_file", arguments: { path: "note.txt", content: "Hello" } } },
  { finish: "tool_calls" },
  { text: "It is written." },
  { on: "^slow" },
  { text: "One, two, three, four.", chunk: 1, every_ms: 20 },
  { on: "^fail" },
  { error: "The model is out.", category: "provider_error", retryable: false },
  { on: "" },
  { text: "Yes." },
]

export type Work = {
  /** Where the facts are. */
  directory: string
  /** Where tools work. */
  folder: string
  agent: NonNullable<RuntimeParts["agent"]>
  remove(): void
}

/** A folder in which a real tool writes, when it may. */
export function workIn(): Work {
  const made = (name: string) => realpathSync(mkdtempSync(join(tmpdir(), `factum-${name}-`)))
  return workAt(made("interop"), made("work"))
}

export function workAt(directory: string, folder: string): Work {
  return {
    directory,
    folder,
    remove() {
      for (const path of [directory, folder]) rmSync(path, { recursive: true, force: true })
    },
    agent: async (world) => ({
      ...speaker,
      tools: builtinTools(world),
      workspace: { cwd: folder, roots: [folder] },
      policy: { version: "test", mode: "ask", rules: [] },
    }),
  }
}

export const model = () => {
  const parsed = parseScript(script.map((line) => JSON.stringify(line)).join("\n"))
  if (!parsed.ok) throw new Error(parsed.message)
  return scriptedModel(parsed.scenes)
}

/** A host as `factum start` makes it, with a real tool that asks first. */
export async function startInterop(work = workIn(), port = 0) {
  const { directory, agent, folder } = work
  const host = await startHost({ directory, model: model(), agent, port })
  if (!host.ok) throw new Error(host.code)
  return {
    work,
    folder,
    url: host.url.replace(/\/$/, ""),
    token: host.token,
    headers: { authorization: `Bearer ${host.token}` },
    close: host.close,
  }
}
