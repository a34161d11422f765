import { homedir } from "node:os"
import type { Operation } from "@factum/facts"
import type { Agent } from "../agent.ts"
import {
  type Explanation,
  heardFrom,
  judge,
  operationOf,
  partsOf,
  realRules,
  type Voice,
} from "../policy/index.ts"
import type { Boundary, Tool } from "../ports/tool.ts"
import { type Allowed, allowedRun } from "./allowed.ts"

type Heard = {
  demanded?: string | undefined
  voices?: readonly Voice[]
  kind?: Operation["kind"]
  signal?: AbortSignal
}
const never = new AbortController().signal

/** `paths` are what it touches; `allowed` is what a run is given within this boundary, once it may run. */
export type Judged = {
  explained: Explanation
  paths: readonly string[]
  allowed(boundary: Boundary): Allowed
}

/** What is to be done, judged by mode and rules. `demanded` is why a person must be asked in any case, `voices` what others said. */
export async function judgeCall(
  tool: Pick<Tool, "name" | "owner" | "side_effects" | "touches">,
  input: Readonly<Record<string, unknown>>,
  { policy, workspace, classifier }: Pick<Agent, "policy" | "workspace" | "classifier">,
  mask: (text: string) => string,
  { demanded, voices = [], kind = "tool", signal = never }: Heard = {},
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
  const question = {
    operation: operationOf(tool.name, input, judged, { kind, mask }),
    parts: await partsOf(judged, where),
    policy: { ...policy, rules: await realRules(policy.rules, where) },
    where,
    sources: [...asked, ...voices],
  }
  const without = judge(question)
  // What is denied anyway needs no further opinion.
  const explained =
    classifier === undefined || without.verdict === "deny"
      ? without
      : judge({
          ...question,
          sources: [
            ...question.sources,
            await heardFrom(classifier, { operation: question.operation, mode: policy.mode }, signal),
          ],
        })
  const paths = touches.flatMap((touch) => ("path" in touch ? [touch.path] : []))
  const about = { ...question, tool: tool.name }
  return { explained, paths, allowed: (boundary) => allowedRun(about, explained, paths, boundary) }
}
