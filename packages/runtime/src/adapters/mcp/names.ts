import { createHash } from "node:crypto"

const longest = 64

type Named = { server: string; tool: string }

/** Names that every provider accepts: letters, digits, `_` and `-`, at most 64, each only once. */
export function toolNames<T extends Named>(tools: readonly T[]): Map<T, string> {
  const wanted = tools.map((tool) => ({ tool, name: cleanName(tool) }))
  const uses = new Map<string, number>()
  for (const { name } of wanted) uses.set(name, (uses.get(name) ?? 0) + 1)
  return new Map(
    // All that collide are told apart by what they really are, so that no name depends on an order.
    wanted.map(({ tool, name }) => [tool, uses.get(name) === 1 ? name : marked(name, tool)]),
  )
}

function cleanName(named: Named): string {
  const joined = `${named.server}__${named.tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_")
  const name = /^[A-Za-z_]/.test(joined) ? joined : `_${joined}`
  return name.length <= longest ? name : marked(name, named)
}

function marked(name: string, { server, tool }: Named): string {
  const mark = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, 8)
  return name.endsWith(`_${mark}`) ? name : `${name.slice(0, longest - 9)}_${mark}`
}
