import type { RuntimeEvent } from "@factum/facts"
import type { Policy, Rule } from "../policy/types.ts"

type PolicyChanged = Extract<RuntimeEvent, { type: "policy.changed" }>["payload"]

/** What changed between two policies; undefined when nothing did. Decisions already taken stay as they are. */
export function policyChanged(old: Policy, next: Policy, source: string): PolicyChanged | undefined {
  const before = new Set(old.rules.map(told))
  const after = new Set(next.rules.map(told))
  const removed = [...before].filter((rule) => !after.has(rule)).map((rule) => `removed ${rule}`)
  const added = [...after].filter((rule) => !before.has(rule)).map((rule) => `added ${rule}`)
  const changes = [...removed, ...added]
  if (changes.length === 0 && old.mode === next.mode) return undefined
  const payload: PolicyChanged = { old_version: old.version, new_version: next.version, changes, source }
  if (old.mode !== next.mode) payload.mode = { old: old.mode, new: next.mode }
  return payload
}

function told({ effect, layer, tool, match }: Rule): string {
  return `${effect} ${tool}${match === undefined ? "" : `(${match})`} (${layer})`
}
