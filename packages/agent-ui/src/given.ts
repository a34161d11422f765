/** Only the fields that have a value. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** Those of the named fields that have a value. */
export function picked<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> {
  return given(Object.fromEntries(names.map((name) => [name, from[name]]))) as Pick<T, K>
}

/** The fields themselves, when there are any. */
export const filled = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length > 0 ? fields : undefined
