import { serveAcp } from "../../src/acp.ts"
import { openRuntime, workAt } from "./given.ts"

/** What `factum acp` does: ACP on the standard streams, facts in the folder named. */
const [directory = "", folder = ""] = process.argv.slice(2)
const { runtime } = await openRuntime(workAt(directory, folder))
await serveAcp({ input: process.stdin, output: process.stdout }, runtime)
await runtime.close()
