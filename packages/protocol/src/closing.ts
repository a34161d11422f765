import { codeSpan, oneLine } from "./escape.ts"
import type { Authority, Executor } from "./executor.ts"
import { listExecutors } from "./select.ts"

const requirements = `## Output requirements

- To ask for work, give exactly one complete declaration: one native protocol call, or one fenced block marked \`json agent-protocol\` whose JSON has \`"type": "agent.protocol"\`. Put long texts into Markdown sections after the block and refer to them by \`md:<section>\`.
- When no more work is needed, answer in plain Markdown, without protocol details unless the user asks for them.
- A declaration that breaks a rule is refused as a whole, with the points to correct.
- Persist (\`"persist": true\`) when the run must survive a restart, goes on across turns or sessions, involves several agents, shows its progress, matters for audit or recovery, or when the user asks for a workflow, a plan or long work. Otherwise leave it false.
- Add a short visible note (\`message\`, or the section \`user.visible\`) when the work is long, durable or risky, involves several agents, or when the user needs to follow it. Do not repeat the declaration in it.`

/** What holds for this request alone: with what work can be done, and what the answer must look like. */
export function closingFor(executors: readonly Executor[], authority: Authority): string {
  if (!authority.enabled)
    return `## Output requirements\n\n- Answer in plain Markdown. This agent may not declare work.`
  const lines = listExecutors(executors, authority).map(
    ({ name, type, description, capabilities, can_execute }) =>
      `- ${codeSpan(name)} (${type}): ${oneLine(description)}${
        capabilities.length === 0 ? "" : ` Capabilities: ${capabilities.map(oneLine).join(", ")}.`
      }${can_execute === false ? " Cannot be executed." : ""}`,
  )
  const capabilities = lines.length === 0 ? "No executor is available." : lines.join("\n")
  return `## Protocol capabilities\n\n${capabilities}\n\n${requirements}`
}
