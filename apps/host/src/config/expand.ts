import { type ConfigProblem, nearest, type Place } from "./problem.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export type Expansion = {
  value: unknown
  /** The variables that were used: their values are secrets. */
  names: readonly string[]
  problems: readonly ConfigProblem[]
}

const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Puts the values of variables in the place of `${NAME}` and `${NAME:-otherwise}`, in all texts of a value. */
export function expanded(
  value: unknown,
  env: Environment,
  where: { file: string; at: readonly PropertyKey[]; place: (path: readonly PropertyKey[]) => Place },
): Expansion {
  const names = new Set<string>()
  const problems: ConfigProblem[] = []

  function walk(one: unknown, path: readonly PropertyKey[]): unknown {
    if (typeof one === "string") {
      return one.replaceAll(variable, (whole, name: string, otherwise: string | undefined) => {
        names.add(name)
        const found = env[name] ?? otherwise
        if (found === undefined)
          problems.push({ file: where.file, ...where.place(path), ...unset(name, env) })
        return found ?? whole
      })
    }
    if (Array.isArray(one)) return one.map((item, index) => walk(item, [...path, index]))
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, item]) => [key, walk(item, [...path, key])]))
  }
  return { value: walk(value, where.at), names: [...names], problems }
}

function unset(name: string, env: Environment): { message: string; fix: string } {
  const like = nearest(name, Object.keys(env))
  const other = like === undefined ? "" : ` Or did you mean ${like}?`
  const fix = `Set ${name} before the start, or write \${${name}:-} with a value for when it is not set.${other}`
  return { message: `The environment has no variable ${name}.`, fix }
}
