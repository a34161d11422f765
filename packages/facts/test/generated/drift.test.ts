import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { generated, stale } from "../../scripts/generate.ts"
import { commands, snapshotNames, standardTypes, states } from "../../src/index.ts"
import { types } from "../given.ts"
import { requiredIds } from "../identity-table.ts"
import { requiredOf } from "../payload-schema.ts"
import { samples } from "../samples.ts"

const root = join(import.meta.dirname, "../../../..")
const files = generated()
const schemas = [...files.keys()].filter((path) => path.endsWith(".json") && !path.endsWith("manifest.json"))
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))
type Schema = {
  required: string[]
  properties: Record<string, Schema>
  $ref?: string
  [key: string]: unknown
}
const eventSchema = (type: string): Schema => read(`packages/facts/schema/events/${type}.json`)

describe("generated files", () => {
  it("are on disk as the declarations say", () => {
    const different = [...files].filter(([path, text]) => readFileSync(join(root, path), "utf8") !== text)
    expect(different.map(([path]) => path)).toEqual([])
  })
  it("leave none behind", () => expect(stale(files)).toEqual([]))
  it("a file that is no longer generated is found", () => {
    const fewer = new Map([...files].filter(([path]) => !path.endsWith("turn.failed.json")))
    expect(stale(fewer)).toEqual(["packages/facts/schema/events/turn.failed.json"])
  })
})

describe("the manifest", () => {
  const manifest = read("packages/facts/schema/manifest.json")
  it("names 113 events, 42 commands, 13 snapshots and 16 states", () => {
    expect(standardTypes.length).toBe(58)
    expect(manifest.events).toEqual(types)
    expect(manifest.commands).toEqual(Object.keys(commands))
    expect(manifest.snapshots).toEqual(snapshotNames)
    expect(manifest.states).toEqual(states)
    const counts = ["events", "commands", "snapshots", "states"].map((name) => new Set(manifest[name]).size)
    expect(counts).toEqual([113, 42, 13, 16])
  })
  it("and each of them has its schema", () => {
    const { events, commands, snapshots } = manifest
    const named = [
      ...events.map((name: string) => `events/${name}`),
      ...commands.map((name: string) => `commands/${name}`),
      ...snapshots.map((name: string) => `snapshots/${name}`),
      "envelope",
    ].map((name) => `packages/facts/schema/${name}.json`)
    expect(schemas.toSorted()).toEqual(named.toSorted())
  })
})

describe("the schemas", () => {
  it.each(schemas)("%s is JSON Schema 2020-12 with a title and a description", (path) => {
    const schema = read(path)
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema")
    expect(path.endsWith(`/${schema.title}.json`)).toBe(true)
    expect(schema.description).toMatch(/\.$/)
    expect(schema.type).toBe("object")
    for (const field of schema.required) expect(Object.keys(schema.properties)).toContain(field)
    expect(faultsOf(schema, schema)).toEqual([])
  })
  it.each(types)(
    "the schema of %s demands what the class demands, and knows all that its sample has",
    (type) => {
      const schema = eventSchema(type)
      const stamped = ["type", "event_id", "timestamp", "sequence", "schema_version"]
      expect(schema.required).toEqual([...stamped, ...requiredIds(type), "payload"])
      expect(schema.properties.type).toEqual({ const: type })
      expect(schema.additionalProperties).toBe(false)
      const { payload, ...ids } = samples[type]
      for (const id of Object.keys(ids)) expect(Object.keys(schema.properties)).toContain(id)
      for (const field of requiredOf(type)) expect(Object.keys(payload)).toContain(field)
      const branches = [schema.properties.payload, ...((schema.properties.payload?.oneOf as Schema[]) ?? [])]
      const known = branches.flatMap((branch) => Object.keys(branch?.properties ?? {}))
      for (const field of Object.keys(payload)) expect(known).toContain(field)
    },
  )
})

/** What a small reader of schemas finds wrong: types that are none, references that lead nowhere, demands without a field. */
function faultsOf(node: unknown, whole: unknown, path = "#"): string[] {
  if (Array.isArray(node)) return node.flatMap((one, i) => faultsOf(one, whole, `${path}/${i}`))
  if (typeof node !== "object" || node === null) return []
  const { type, $ref, required, properties } = node as Record<string, unknown>
  const faults: string[] = []
  if (typeof type === "string" && !jsonTypes.has(type)) faults.push(`${path}: type ${type}`)
  if (typeof $ref === "string" && resolved($ref, whole) === undefined) faults.push(`${path}: ${$ref}`)
  if (Array.isArray(required) && typeof properties === "object" && properties !== null) {
    for (const name of required)
      if (!Object.hasOwn(properties, name)) faults.push(`${path}: requires ${name}`)
  }
  // Under `properties` stand names of fields, which may be those of keywords.
  const inner = Object.entries(node).flatMap(([name, child]) =>
    name === "properties" || name === "$defs"
      ? Object.entries(child as object).flatMap(([field, one]) =>
          faultsOf(one, whole, `${path}/${name}/${field}`),
        )
      : faultsOf(child, whole, `${path}/${name}`),
  )
  return [...faults, ...inner]
}
const jsonTypes = new Set(["object", "array", "string", "number", "integer", "boolean", "null"])

function resolved(ref: string, whole: unknown): unknown {
  const steps = ref
    .replace(/^#\/?/, "")
    .split("/")
    .filter((step) => step !== "")
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], whole)
}
