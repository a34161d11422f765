import type { UiRefs } from "./envelope.ts"

/** Reads refs given as a list or as a map into one form: a ref under a name. */
export function refsOf(refs: UiRefs | undefined): Readonly<Record<string, string>> {
  // Without a prototype, so that a name such as `__proto__` is a name like any other.
  const read: Record<string, string> = Object.create(null)
  if (refs === undefined) return read
  if (Array.isArray(refs)) for (const [at, one] of refs.entries()) addListed(read, one, at)
  else for (const [name, value] of Object.entries(refs)) addNamed(read, name, value)
  return read
}

function addListed(read: Record<string, string>, one: unknown, at: number): void {
  if (typeof one === "string") read[free(read, String(at))] = one
  else if (typeof one === "object" && one !== null && "kind" in one && "ref" in one) {
    if (typeof one.kind === "string" && typeof one.ref === "string") read[free(read, one.kind)] = one.ref
  }
}

function addNamed(read: Record<string, string>, name: string, value: unknown): void {
  if (typeof value === "string") read[name] = value
  else if (Array.isArray(value)) for (const one of value) addNamed(read, free(read, name), one)
  else if (typeof value === "object" && value !== null && "ref" in value) addNamed(read, name, value.ref)
}

function free(read: Record<string, string>, name: string): string {
  let candidate = name
  for (let count = 2; candidate in read; count++) candidate = `${name}.${count}`
  return candidate
}
