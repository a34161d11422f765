import { homedir } from "node:os"
import type { Agent } from "../agent.ts"
import { type Explanation, judge, operationOf, partsOf, realRules, type Voice } from "../policy/index.ts"
import type { Tool } from "../ports/tool.ts"

/** `paths` are what it touches: once it is allowed, these and no others are granted. */
export type Judged = { explained: Explanation; paths: readonly string[] }

/** What is to be done, judged by mode and rules. `demanded` is why a person must be asked in any case, `voices` what others said. */
export async function judgeCall(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  { policy, workspace }: Agent,
  mask: (text: string) => string,
  { demanded, voices = [] }: { demanded?: string | undefined; voices?: readonly Voice[] } = {},
): Promise<Judged> {
  const touches = await tool.touches(input, workspace)
  // A tool that changes something and cannot say what is judged by its name; so is one that others made, whatever it
  // says of itself, except where nothing may be changed and looking is all there is.
  const changes = tool.side_effects.some((effect) => effect !== "read")
  const foreign = tool.owner !== "builtin" && policy.mode !== "plan"
  const judged =
    touches.length === 0 && (changes || foreign) ? [{ kind: "other" as const, name: tool.name }] : touches
  const where = { ...workspace, home: homedir() }
  const asked: Voice[] = demanded === undefined ? [] : [{ source: "host", verdict: "ask", rule: demanded }]
  const explained = judge({
    operation: operationOf(tool.name, input, judged, { mask }),
    parts: await partsOf(judged, where),
    policy: { ...policy, rules: await realRules(policy.rules, where) },
    where,
    sources: [...asked, ...voices],
  })
  return { explained, paths: touches.flatMap((touch) => ("path" in touch ? [touch.path] : [])) }
}
