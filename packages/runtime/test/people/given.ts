import { join } from "node:path"
import { openArtifacts } from "../../src/adapters/artifacts/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { builtinTools } from "../../src/adapters/tools/index.ts"
import {
  type Agent,
  type Model,
  type Policy,
  type RuntimeParts,
  speaker,
  type Tool,
} from "../../src/index.ts"
import { openRuntime, temporaryDirectory } from "../harness.ts"

export const policy = (mode: Policy["mode"], rules: Policy["rules"] = []): Policy => ({
  version: "1",
  mode,
  rules,
})

/** A runtime with the tools that every agent has, artifacts, and what the test adds. */
export function openWork(
  model: Model,
  more: { directory?: string; agent?: Partial<Agent>; tools?: readonly Tool[] } & Partial<
    Pick<RuntimeParts, "clock" | "secrets" | "sandbox">
  > = {},
) {
  const { directory = temporaryDirectory(), agent = {}, tools = [], ...parts } = more
  const blobs = new FileBlobs(join(directory, "blobs"))
  const opened = openArtifacts(join(directory, "artifacts.db"), { blobs })
  if (!opened.ok) throw new Error(opened.message)
  return openRuntime(model, {
    directory,
    artifacts: opened.artifacts,
    agent: (world) => ({
      ...speaker,
      policy: policy("full"),
      ...agent,
      tools: [...builtinTools(world), ...tools],
    }),
    ...parts,
  })
}
