import { openSqliteStore } from "../src/adapters/sqlite/index.ts"
import { createRuntime, type Model } from "../src/index.ts"
import type { Append } from "../src/ports/log.ts"

// A process that begins the recovery of a store and kills itself after one of its appends.
const [directory = "", nth = "1"] = process.argv.slice(2)
const store = await openSqliteStore(directory)
if (!store.ok) throw new Error(store.message)
const { log } = store
let appends = 0

async function append(batch: Append) {
  const isLast = ++appends === Number(nth)
  const done = await log.append(batch)
  if (isLast) process.kill(process.pid, "SIGKILL")
  return done
}

const killing = new Proxy(log, {
  get(target, name) {
    const value = name === "append" ? append : Reflect.get(target, name, target)
    return typeof value === "function" && name !== "append" ? value.bind(target) : value
  },
})
const silent: Model = {
  provider: "hand",
  name: "hand-1",
  async *stream() {
    await new Promise(() => {})
  },
}
await createRuntime({ store: { ...store, log: killing }, model: silent })
setInterval(() => {}, 60_000)
