import { hash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { definitions, validateDraft } from "@factum/facts"
import { expect, onTestFinished } from "vitest"
import { type ProcessDeps, Processes, type ProcessSpec } from "../../src/adapters/processes/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { systemClock, systemIds } from "../../src/ports/clock.ts"
import type { Boundary, ToolFact, ToolRun } from "../../src/ports/tool.ts"
import { openSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts"

export const bare: Boundary = { profile: "full", network: "all" }
export const confined: Boundary = { profile: "workspace_write", network: "none" }
export const scope = {
  session_id: "ses_1",
  thread_id: "thr_1",
  turn_id: "trn_1",
  step_id: "stp_1",
  tool_call_id: "tcl_1",
}

/** A folder of its own, real path, gone after the test. `/var/tmp` stays in sight inside a sandbox, `/tmp` does not. */
export function folder(parent = tmpdir()): string {
  const made = realpathSync(mkdtempSync(join(parent, "factum-")))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

let opened: Promise<Sandbox> | undefined
/** The machine's own sandbox. A Linux machine without one is not prepared for these tests. */
export async function realSandbox(): Promise<Sandbox> {
  opened ??= openSandbox()
  const sandbox = await opened
  if (!sandbox.probe.ok) {
    const how = "for example: sudo apt-get install bubblewrap"
    throw new Error(`The tests need bubblewrap (${how}): ${sandbox.probe.reason}`)
  }
  return sandbox
}

export type Facts = { all: ToolFact[]; of(type: string): Record<string, unknown>[]; types(): string[] }

/** Takes facts and checks each against its declaration. */
export function recording(): Facts & {
  record: (facts: readonly ToolFact[]) => Promise<boolean>
  open: boolean
} {
  const all: ToolFact[] = []
  return {
    all,
    open: true,
    of: (type) =>
      all.filter((fact) => fact.type === type).map(({ payload }) => payload as Record<string, unknown>),
    types: () => all.map(({ type }) => type),
    async record(facts) {
      for (const fact of facts) {
        const allowed: readonly string[] = definitions.get(fact.type)?.optional ?? []
        const { step_id, tool_call_id, ...rest } = scope
        const ids = allowed.includes("tool_call_id") ? { ...rest, step_id, tool_call_id } : rest
        expect(validateDraft({ ...fact, ...ids })).toMatchObject({ ok: true })
      }
      if (this.open) all.push(...facts)
      return this.open
    },
  }
}

export async function givenProcesses(more: Partial<ProcessDeps> = {}) {
  const blobs = more.blobs ?? new FileBlobs(folder())
  const sandbox = more.sandbox ?? (await realSandbox())
  const processes = new Processes({
    blobs,
    sandbox,
    clock: systemClock,
    ids: systemIds(systemClock),
    ...more,
  })
  onTestFinished(() => processes.close())
  const facts = recording()
  const cwd = folder()
  const spec = (command: string, rest: Partial<ProcessSpec> = {}): ProcessSpec => ({
    command: ["/bin/sh", "-c", command],
    cwd,
    roots: [cwd],
    boundary: bare,
    owner: scope,
    record: (given) => facts.record(given),
    ...rest,
  })
  return { processes, blobs, facts, cwd, spec }
}

/** Starts a process that is expected to start. */
export async function started(processes: Processes, spec: ProcessSpec) {
  const result = await processes.start(spec)
  if (!result.ok) throw new Error(result.message)
  return result
}

/** All bytes of a channel, put together from facts and blobs. */
export function outputOf(
  facts: Facts,
  channel: string,
  blobs: { get(digest: string): Uint8Array | undefined },
): Buffer {
  let next = 0
  const pieces = facts.of("process.output").filter((payload) => payload.channel === channel)
  return Buffer.concat(
    pieces.map(({ offset, bytes, text, ref }) => {
      expect(offset).toBe(next)
      next += Number(bytes)
      const digest = (ref as { digest: string } | undefined)?.digest
      return digest === undefined ? Buffer.from(String(text)) : Buffer.from(blobs.get(digest) ?? [])
    }),
  )
}

/** The processes that carry this one's mark, wherever they went. */
export function carrying(process_id: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`=${process_id}\0`)
    } catch {
      return false
    }
  })
}

export const sha = (bytes: Uint8Array | string): string => hash("sha256", bytes)

/** Waits for a condition; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export function toolRun(where: { cwd: string; roots?: readonly string[] }, more: Partial<ToolRun> = {}) {
  const facts = recording()
  const run: ToolRun = {
    ...scope,
    cwd: where.cwd,
    roots: where.roots ?? [where.cwd],
    attempt: 1,
    key: "key-1",
    boundary: confined,
    signal: new AbortController().signal,
    record: (given) => facts.record(given),
    ...more,
  }
  return { run, facts }
}
