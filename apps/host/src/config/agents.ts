import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Layer, Reasoning, Rule } from "@factum/runtime"
import { checked } from "./check.ts"
import type { ConfigProblem, Place } from "./problem.ts"
import { AgentFrontMatter } from "./schema.ts"
import { yamlSource } from "./source.ts"

export type AgentFile = {
  name: string
  description: string
  instructions: string
  model?: string
  reasoning?: Reasoning
  /** Names or patterns; without them the agent may use all tools. */
  tools?: readonly string[]
  capabilities: readonly string[]
  rules: readonly Rule[]
  protocol: boolean
  file: string
  /** Where its model is written. */
  place: Place
  layer: Layer
}

export type Agents = { agents: AgentFile[]; problems: ConfigProblem[] }

/** Every Markdown file of the folder is an agent: front matter above, instructions below. */
export function readAgents(folder: string, layer: "user" | "project"): Agents {
  const agents: AgentFile[] = []
  const problems: ConfigProblem[] = []
  for (const name of markdownFiles(folder)) {
    const file = join(folder, name)
    const read = readAgent(file, layer)
    if ("problems" in read) problems.push(...read.problems)
    else if (agents.some((agent) => agent.name === read.name)) problems.push(doubled(file, read.name))
    else agents.push(read)
  }
  return { agents, problems }
}

function markdownFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .sort()
  } catch {
    return []
  }
}

function doubled(file: string, name: string): ConfigProblem {
  const message = `Another file of the folder is the agent "${name}" too.`
  return { file, line: 1, column: 1, message, fix: "Give one of them another name." }
}

function readAgent(file: string, layer: Layer): AgentFile | { problems: readonly ConfigProblem[] } {
  let text: string
  try {
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "")
  } catch (error) {
    const message = `The file cannot be read: ${error instanceof Error ? error.message : String(error)}.`
    return { problems: [{ file, line: 1, column: 1, message, fix: "Make it readable, or remove it." }] }
  }
  const parts = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/m.exec(text)
  if (parts === null || parts.index !== 0) {
    const fix = "Begin the file with a line ---, then name and description, then a line --- again."
    return { problems: [{ file, line: 1, column: 1, message: "The file has no front matter.", fix }] }
  }
  const [, yaml = "", body = ""] = parts
  const source = yamlSource(file, yaml, 1)
  if (!source.ok) return source
  const front = checked(file, source, AgentFrontMatter)
  if (!front.ok) return front
  const {
    name,
    description,
    model,
    reasoning,
    tools,
    capabilities = [],
    permissions = [],
    protocol = false,
  } = front.value
  return {
    name: name ?? basename(file, ".md"),
    description,
    instructions: body.trim(),
    ...(model === undefined ? {} : { model }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(tools === undefined ? {} : { tools: typeof tools === "string" ? listed(tools) : tools }),
    capabilities,
    rules: permissions.map((rule) => ruleOf(rule, "agent")),
    protocol: protocol === true || protocol === "on",
    file,
    place: source.place(["model"]),
    layer,
  }
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)

type Written = { effect: Rule["effect"]; tool: string; match?: string | undefined; note?: string | undefined }

export function ruleOf({ effect, tool, match, note }: Written, layer: Layer): Rule {
  return {
    effect,
    layer,
    tool,
    ...(match === undefined ? {} : { match }),
    ...(note === undefined ? {} : { note }),
  }
}
