import { writeSync } from "node:fs"
import { join } from "node:path"
import { openArtifacts } from "../../src/adapters/artifacts/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"

/** Writes versions, says which are confirmed, and is killed in the middle of the next one. */
const [directory = "", after = "1"] = process.argv.slice(2)
const opened = openArtifacts(join(directory, "artifacts.db"), {
  blobs: new FileBlobs(join(directory, "blobs")),
})
if (!opened.ok) throw new Error(opened.message)
const { artifacts } = opened
const about = { session_id: "ses_1" }
let artifact_id: string | undefined
for (let n = 1; ; n++) {
  const content = Buffer.from(`content ${n}\n`)
  const which = artifact_id === undefined ? {} : { artifact_id, base_version: String(n - 1) }
  const writing = artifacts.write({ about, author: "agent", title: "Plan", content, ...which })
  if (n > Number(after)) setTimeout(() => process.kill(process.pid, "SIGKILL"), n % 3)
  const written = await writing
  if (!written.ok) throw new Error(written.message)
  artifact_id = written.artifact_id
  if (n > Number(after)) await new Promise(() => undefined)
  writeSync(1, `${written.version}\n`)
}
