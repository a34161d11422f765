import { isRecord } from "./record.ts"

export type PatchStep = { op: string; path: string; value?: unknown; from?: string }

/** Applies an RFC 6902 patch whole, or not at all: `undefined` when one step cannot be done. */
export function applyPatch(target: unknown, patch: readonly PatchStep[]): { value: unknown } | undefined {
  let value = target
  for (const step of patch) {
    const next = applyStep(value, step)
    if (!next) return undefined
    value = next.value
  }
  return { value }
}

function applyStep(target: unknown, step: PatchStep): { value: unknown } | undefined {
  const path = pathOf(step?.path)
  if (!path) return undefined
  switch (step.op) {
    case "add":
    case "replace":
      return "value" in step ? put(target, path, step.value, step.op === "add") : undefined
    case "remove":
      return take(target, path)
    case "test": {
      const found = at(target, path)
      return found && isSame(found.value, step.value) ? { value: target } : undefined
    }
    case "copy":
    case "move": {
      const from = pathOf(step.from)
      const found = from && at(target, from)
      if (!from || !found) return undefined
      if (step.op === "copy") return put(target, path, found.value, true)
      // A thing cannot move into itself.
      if (step.path.startsWith(`${step.from}/`)) return undefined
      const rest = take(target, from)
      return rest && put(rest.value, path, found.value, true)
    }
  }
}

function pathOf(pointer: string | undefined): string[] | undefined {
  if (pointer === "") return []
  if (typeof pointer !== "string" || !pointer.startsWith("/")) return undefined
  const names = pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
  return names.includes("__proto__") ? undefined : names
}

function at(target: unknown, path: readonly string[]): { value: unknown } | undefined {
  let value = target
  for (const name of path) {
    if (Array.isArray(value) && isIndex(name, value.length - 1)) value = value[Number(name)]
    else if (isRecord(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return { value }
}

/** A copy with the value at the path; only what lies on the path is copied. */
function put(
  target: unknown,
  path: readonly string[],
  value: unknown,
  adds: boolean,
): { value: unknown } | undefined {
  return along(target, path, value, (holder, name) => {
    if (Array.isArray(holder)) {
      const index = name === "-" && adds ? String(holder.length) : name
      if (!isIndex(index, holder.length - (adds ? 0 : 1))) return undefined
      return adds ? holder.toSpliced(Number(index), 0, value) : holder.with(Number(index), value)
    }
    if (!isRecord(holder) || (!adds && !Object.hasOwn(holder, name))) return undefined
    return { ...holder, [name]: value }
  })
}

function take(target: unknown, path: readonly string[]): { value: unknown } | undefined {
  return along(target, path, undefined, (holder, name) => {
    if (Array.isArray(holder)) {
      return isIndex(name, holder.length - 1) ? holder.toSpliced(Number(name), 1) : undefined
    }
    if (!isRecord(holder) || !Object.hasOwn(holder, name)) return undefined
    const { [name]: _, ...rest } = holder
    return rest
  })
}

function along(
  target: unknown,
  path: readonly string[],
  whole: unknown,
  change: (holder: unknown, name: string) => unknown,
): { value: unknown } | undefined {
  const [name, ...deeper] = path
  if (name === undefined) return { value: whole }
  if (deeper.length === 0) {
    const changed = change(target, name)
    return changed === undefined ? undefined : { value: changed }
  }
  const child = at(target, [name])
  const inner = child && along(child.value, deeper, whole, change)
  if (!inner) return undefined
  if (Array.isArray(target)) return { value: target.with(Number(name), inner.value) }
  return { value: { ...(target as object), [name]: inner.value } }
}

const isIndex = (name: string, last: number) => /^(?:0|[1-9]\d*)$/.test(name) && Number(name) <= last

export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  if (!isRecord(one) || !isRecord(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}
