import type { Agent } from "../agent.ts"
import type { Rule } from "../policy/types.ts"
import { fits } from "../wildcard.ts"

/** An agent that work can be handed to. */
export type Delegate = {
  name: string
  description: string
  instructions: string
  capabilities: readonly string[]
  /** Whether it declares its work. */
  protocol: boolean
  /** Names or patterns of the tools that it may use at most. */
  tools?: readonly string[]
  rules: readonly Rule[]
  model?: NonNullable<Agent["model"]>
  reasoning?: NonNullable<Agent["reasoning"]>
}

/**
 * Who works in a child session: never more than its parent may do. What its own rules allow adds nothing, because a
 * parent that allows it needs no further word, and one that does not must not be overruled.
 */
export function childAgent(parent: Agent, delegate: Delegate): Agent {
  const { name, instructions, protocol, model, reasoning } = delegate
  // How much the parent thinks is its own.
  const { delegates: _, reasoning: __, ...rest } = parent
  const strict = delegate.rules.filter(({ effect }) => effect !== "allow")
  const { policy } = parent
  const mayUse = (name: string): boolean =>
    [parent.only, delegate.tools].every((list = ["*"]) => list.some((pattern) => fits(pattern, name)))
  return {
    ...rest,
    name,
    instructions: [parent.setting ?? "", instructions].filter(Boolean).join("\n\n"),
    protocol,
    tools: parent.tools.filter(({ name }) => mayUse(name)),
    pipelines: (parent.pipelines ?? []).filter(({ name }) => mayUse(name)),
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
    policy: {
      mode: policy.mode,
      version: strict.length === 0 ? policy.version : `${policy.version}+${name}`,
      rules: [...policy.rules, ...strict],
    },
  }
}
