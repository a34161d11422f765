/** What each built-in reads: one place of its text, or all of its text or list. */
const onePlace = ["charCodeAt", "codePointAt", "startsWith", "endsWith"]
const allText = ["includes", "indexOf", "lastIndexOf", "trim", "trimEnd", "trimStart", "split", "replace"]
const moreText = ["replaceAll", "toLowerCase", "repeat", "isWellFormed", "search", "match"]
const lists = ["filter", "map", "flatMap", "find", "findIndex", "findLast", "findLastIndex", "some", "every"]
const moreLists = ["includes", "indexOf", "join", "fill", "toReversed", "reduce", "flat", "concat"]

/**
 * How much of texts and lists the built-ins read while `work` does. It grows with the time that reading takes, and no
 * load of the machine changes it.
 */
export function stepsOf(work: () => void): number {
  let steps = 0
  const restore = [
    ...onePlace.map((name) => counted(String.prototype, name, () => 1)),
    ...[...allText, ...moreText].map((name) => counted(String.prototype, name, lengthOf)),
    ...[...lists, ...moreLists].map((name) => counted(Array.prototype, name, lengthOf)),
    // One that goes on where it stood is called again for each place, and what it is used in counts the whole.
    counted(RegExp.prototype, "exec", (self, [text]) =>
      self instanceof RegExp && (self.sticky || self.global) ? 1 : lengthOf(text),
    ),
  ]
  try {
    work()
  } finally {
    for (const undo of restore) undo()
  }
  return steps

  function counted(
    owner: object,
    name: string,
    cost: (self: unknown, given: readonly unknown[]) => number,
  ): () => void {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== "function") throw new Error(`There is no ${name}.`)
    const put = (value: unknown) =>
      Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: false })
    put(function (this: unknown, ...given: unknown[]): unknown {
      steps += 1 + cost(this, given)
      return Reflect.apply(original, this, given)
    })
    return () => put(original)
  }
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length
  return Array.isArray(value) ? value.length : Object(value).length
}
