import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin"

const declares = /^(define[A-Z]\w*|z)$/
const literals = new Set([
  "StringLiteral",
  "TemplateLiteral",
  "ObjectExpression",
  "ArrayExpression",
  "BooleanLiteral",
  "RegExpLiteral",
])

/** What is only declared is proven by the drift test; a function inside a declaration stays in. */
export const declarations = {
  shouldIgnore(path) {
    // To ignore a node is to ignore all inside it.
    if (!literals.has(path.node.type) || holdsFunction(path)) return undefined
    const call = path.findParent(isDeclaration)
    const isBelow = (parent) => parent === call
    if (!call || path.getFunctionParent()?.findParent(isBelow)) return undefined
    return "a declaration"
  },
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "declarations", declarations)]

function isDeclaration(path) {
  return path.isCallExpression() && declares.test(rootName(path.node.callee))
}

function holdsFunction(path) {
  let found = false
  path.traverse({
    Function(inner) {
      found = true
      inner.stop()
    },
  })
  return found
}

// `z` of `z.string().min(1)`, `defineEvent` of `defineEvent(…)`.
function rootName(callee) {
  if (callee.type === "Identifier") return callee.name
  if (callee.type === "MemberExpression") return rootName(callee.object)
  if (callee.type === "CallExpression") return rootName(callee.callee)
  return ""
}
