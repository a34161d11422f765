import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { RunState } from "../../src/index.ts"

const child = fileURLToPath(new URL("./crash-child.ts", import.meta.url))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Runs a process to its end; kills it as soon as it says that an action is in flight. */
function life(
  folder: string,
  mode: "run" | "resume",
  kind: string,
): Promise<{ said: string; signal: string | null }> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, folder, mode, kind], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let said = ""
    process_.stdout.on("data", (chunk) => {
      said += String(chunk)
      if (said.includes("in flight")) process_.kill("SIGKILL")
    })
    process_.on("error", reject)
    process_.on("close", (_, signal) => resolve({ said, signal }))
  })
}

async function crash(kind: string): Promise<{ state: RunState; calls: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  folders.push(folder)
  expect((await life(folder, "run", kind)).signal).toBe("SIGKILL")
  const { said } = await life(folder, "resume", kind)
  return { state: JSON.parse(said), calls: readFileSync(join(folder, "calls"), "utf8").trim().split("\n") }
}

describe("a killed process", () => {
  it("[MP-PERSIST-3] its durable run goes on: completed actions are not run again, unstarted ones run", async () => {
    const { state, calls } = await crash("idempotent")
    expect(calls).toEqual(["a", "b", "b", "c"])
    expect(state.status).toBe("completed")
    expect(state.actions.a?.attempts).toHaveLength(1)
    expect(state.actions.b?.attempts).toEqual([
      { started: 0 },
      { started: 0, outcome: { status: "completed", output: "b done" } },
    ])
  })

  it("[MP-PERSIST-4] what was in flight and is not idempotent is not run again: a decision is needed", async () => {
    const { state, calls } = await crash("once")
    expect(calls).toEqual(["a", "b"])
    expect(state).toMatchObject({
      status: "blocked",
      actions: {
        a: { status: "completed" },
        b: { status: "blocked", reason: { code: "outcome_unknown" } },
        c: { status: "pending" },
      },
    })
  })
})
