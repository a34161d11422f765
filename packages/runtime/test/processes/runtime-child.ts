import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Processes } from "../../src/adapters/processes/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { systemClock, systemIds } from "../../src/ports/clock.ts"
import { openSandbox } from "../../src/sandbox/sandbox.ts"

// A runtime that starts a process inside a sandbox and one outside, tells which, and waits to be killed.
const cwd = process.argv[2] ?? ""
const ids = systemIds(systemClock)
const processes = new Processes({
  sandbox: await openSandbox(),
  blobs: new FileBlobs(cwd),
  clock: systemClock,
  ids,
})
const spec = {
  command: ["/bin/sh", "-c", "trap '' TERM; setsid sleep 600 & touch up; sleep 600"],
  cwd,
  roots: [cwd],
  owner: { session_id: "ses_1", thread_id: "thr_1" },
  record: async () => true,
  long_lived: true,
}
const inside = await processes.start({ ...spec, boundary: { profile: "workspace_write", network: "none" } })
// Until it runs inside, the sandbox is not bound to the life of its runtime.
while (!existsSync(join(cwd, "up"))) await pause(10)
const outside = await processes.start({ ...spec, boundary: { profile: "full", network: "all" } })
process.stdout.write(`${JSON.stringify({ inside, outside })}\n`)
setInterval(() => {}, 60_000)
