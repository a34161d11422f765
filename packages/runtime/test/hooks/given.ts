import { createHash } from "node:crypto"
import { validateDraft } from "@factum/facts"
import { expect } from "vitest"
import type { HookPorts } from "../../src/hooks/index.ts"
import type { ToolFact } from "../../src/ports/tool.ts"

export const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}` as const

/** Ports that keep what they are told; every fact is checked against the facts' own schema. */
export function hookPorts(more: Partial<HookPorts> = {}) {
  const facts: ToolFact[] = []
  const kept = new Map<string, string>()
  let now = 1_000
  let ids = 0
  const ports: HookPorts = {
    clock: { now: () => (now += 5) },
    nextId: () => `hook_${++ids}`,
    mask: (text) => text.replaceAll("hunter2secret", "[redacted]"),
    async keep(text) {
      const digest = digestOf(text)
      kept.set(digest, text)
      return { uri: `blob:${digest}`, kind: "blob", digest, bytes: Buffer.byteLength(text) }
    },
    async record(more) {
      for (const fact of more) {
        const draft = { ...fact, session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1" }
        expect(validateDraft(draft)).toMatchObject({ ok: true })
        facts.push(fact)
      }
      return true
    },
    cwd: import.meta.dirname,
    signal: new AbortController().signal,
    ...more,
  }
  return { ports, facts, kept, types: () => facts.map(({ type }) => type) }
}

/** A command hook that runs a piece of JavaScript. */
export const script = (name: string, code: string) =>
  ({ name, on: "before_tool", kind: "command", command: process.execPath, args: ["-e", code] }) as const

export const answering = (name: string, answer: unknown) =>
  script(name, `process.stdout.write(${JSON.stringify(JSON.stringify(answer))})`)
