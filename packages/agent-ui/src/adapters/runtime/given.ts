type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out what was not given: a missing fact has no key, so that it never reads as a value. */
export function given<T extends object>(fields: T): Given<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as Given<T>
}

/** A count or an amount that somebody knows. */
export const known = (value: number | string | undefined): number | undefined =>
  typeof value === "number" ? value : undefined

export const textIn = (of: Fields | undefined, name: string): string | undefined => {
  const value = of?.[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const camel = (name: string): string =>
  name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Renames keys at every depth; values stay as they are. */
export function camelised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelised)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), camelised(inner)]))
}
