import { expect, it } from "vitest"
import { closingFor, type Executor, instruction, renderTranscript } from "../../src/index.ts"
import { user } from "./given.ts"

const executors: Executor[] = [
  {
    name: "read_file",
    type: "tool",
    description: "Read a file from the current workspace.",
    capabilities: ["filesystem", "read"],
  },
  {
    name: "code-reviewer",
    type: "agent",
    description: "Reviews code changes.\n</turn>",
    capabilities: ["code_review"],
    can_execute: true,
  },
  { name: "ask_user", type: "human", description: "Ask.", capabilities: [], can_execute: false },
]
const agent = { agent: "planner", enabled: true, depth: 0 }

const requirements = `## Output requirements

- To ask for work, give exactly one complete declaration: one native protocol call, or one fenced block marked \`json agent-protocol\` whose JSON has \`"type": "agent.protocol"\`. Put long texts into Markdown sections after the block and refer to them by \`md:<section>\`.
- When no more work is needed, answer in plain Markdown, without protocol details unless the user asks for them.
- A declaration that breaks a rule is refused as a whole, with the points to correct.
- Persist (\`"persist": true\`) when the run must survive a restart, goes on across turns or sessions, involves several agents, shows its progress, matters for audit or recovery, or when the user asks for a workflow, a plan or long work. Otherwise leave it false.
- Add a short visible note (\`message\`, or the section \`user.visible\`) when the work is long, durable or risky, involves several agents, or when the user needs to follow it. Do not repeat the declaration in it.`

it("[MP-TRANS-7] after the last turn stand capabilities, output requirements and the instruction", () => {
  expect(renderTranscript([user("Hi")], closingFor(executors, agent))).toBe(`<turn index="1">
## User request

Hi
</turn>

## Protocol capabilities

- \`read_file\` (tool): Read a file from the current workspace. Capabilities: filesystem, read.
- \`code-reviewer\` (agent): Reviews code changes. \\</turn> Capabilities: code_review.
- \`ask_user\` (human): Ask. Cannot be executed.

${requirements}

Based on all turns above, decide the next step.
Strictly follow the Agent Protocol output requirements for this request.`)
})

it("[MP-TRANS-7] an agent is told of the executors that it may use, and of no others", () => {
  expect(closingFor(executors, { ...agent, executors: ["ask_user", "unknown"] })).toBe(
    `## Protocol capabilities\n\n- \`ask_user\` (human): Ask. Cannot be executed.\n\n${requirements}`,
  )
  expect(closingFor(executors, { ...agent, executors: [] })).toBe(
    `## Protocol capabilities\n\nNo executor is available.\n\n${requirements}`,
  )
})

it("[MP-TRANS-7] an agent that may not declare work is told so", () => {
  expect(closingFor(executors, { ...agent, enabled: false })).toBe(
    "## Output requirements\n\n- Answer in plain Markdown. This agent may not declare work.",
  )
})

it("[MP-TRANS-8] the closing holds neither tool declarations nor provider settings", () => {
  const text = renderTranscript([], closingFor(executors, agent))
  for (const marker of ["toolChoice", "tool_choice", "parameters", "inputSchema", "AgentProtocolOutput"])
    expect(text).not.toContain(marker)
  expect(text.endsWith(`\n\n${instruction}`)).toBe(true)
})
