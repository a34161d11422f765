import type { ArtifactPort } from "../../ports/artifact.ts"
import type { Tool, ToolRun } from "../../ports/tool.ts"
import type { Processes, RecordFacts } from "../processes/index.ts"
import { readArtifact, writeArtifact } from "./artifact.ts"
import { ask } from "./ask.ts"
import { requestCredential } from "./credential.ts"
import { editFile } from "./edit-file.ts"
import { requestPermission } from "./grant.ts"
import { grep } from "./grep.ts"
import { glob, listFiles } from "./list-files.ts"
import { presentPlan } from "./plan.ts"
import { processTools } from "./processes.ts"
import { readFile } from "./read-file.ts"
import { requestReview } from "./review.ts"
import { shell } from "./shell.ts"
import { webFetch } from "./web-fetch.ts"
import type { WebLimits } from "./web-request.ts"
import { writeFile } from "./write-file.ts"

export { defineTool } from "./define.ts"
export { realPath } from "./paths.ts"
export { type ServiceSpec, serviceTool } from "./service.ts"
export { replaceFile } from "./write-file.ts"

export type ToolDeps = {
  processes: Processes
  /** Where the facts of a process go that outlives the turn of this call. */
  afterTurn: (run: ToolRun) => RecordFacts
  /** Without it there are no tools for artifacts. */
  artifacts?: ArtifactPort
  web?: Partial<WebLimits>
}

/** Their names, for those who check a configuration before anything runs. */
export const builtinNames = [
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "glob",
  "grep",
  "shell",
  "process_start",
  "process_input",
  "process_output",
  "process_stop",
  "web_fetch",
  "ask",
  "present_plan",
  "request_permission",
  "request_credential",
  "write_artifact",
  "read_artifact",
  "request_review",
] as const

/** The tools that every agent can be given. */
export function builtinTools({ processes, afterTurn, artifacts, web }: ToolDeps): readonly Tool[] {
  return [
    readFile,
    writeFile,
    editFile,
    listFiles,
    glob,
    grep,
    shell(processes),
    ...processTools(processes, afterTurn),
    webFetch(web),
    ask,
    presentPlan,
    requestPermission,
    requestCredential,
    ...(artifacts === undefined
      ? []
      : [writeArtifact(artifacts), readArtifact(artifacts), requestReview(artifacts)]),
  ]
}
