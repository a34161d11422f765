import manifest from "../package.json" with { type: "json" }

export const version = manifest.version

const oldestNode = 24

/** One clear sentence when this Node is too old, which no later error would say. */
export function nodeTooOld(node: string): string | undefined {
  if (Number.parseInt(node, 10) >= oldestNode) return undefined
  return `Factum needs Node ${oldestNode} or newer; this is ${node}: start it with npm start, which brings its own.`
}
