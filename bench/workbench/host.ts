import { parseArgs } from "node:util"
import { startHost } from "../../apps/host/src/index.ts"
import { agent, model } from "./agent.ts"

/** The product's host, with the bench's model and tools in the place of a provider's. */
const { values } = parseArgs({
  options: {
    port: { type: "string" },
    data: { type: "string" },
    script: { type: "string" },
    "no-open": { type: "boolean" },
  },
})
const host = await startHost({ directory: values.data ?? "", port: Number(values.port), model, agent })
if (!host.ok) throw new Error(JSON.stringify(host))
console.log(`Factum is running at ${host.page}`)
