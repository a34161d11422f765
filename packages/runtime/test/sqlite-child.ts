import { writeSync } from "node:fs"
import { openSqliteStore } from "../src/adapters/sqlite/index.ts"

// A process to be killed: it owns the store, appends batches of three to eight streams at once, and
// prints each batch once it is acknowledged: stream and sequence.
const [directory = "", round = "0", batches = "Infinity"] = process.argv.slice(2)
const opened = await openSqliteStore(directory)
if (!opened.ok) throw new Error(opened.message)
const store = opened
store.setUrl("http://127.0.0.1:4242/")
say(`incidents ${store.log.incidents.map(({ code }) => code).join()}`)

await Promise.all(Array.from({ length: 8 }, (_, i) => produce(`s${i}`)))
say("idle")
setInterval(() => {}, 60_000)

async function produce(stream: string) {
  let expected = store.log.head(stream)
  for (let i = 0; i < Number(batches); i++) {
    const facts = [1, 2, 3].map((n) => ({
      event_id: `${stream}/${expected + n}`,
      text: `${round} ${expected + n}`,
    }))
    const claims = [{ key: `${stream}/${expected + 3}`, value: round }]
    const done = await store.log.append({ stream, expected, facts, claims, owing: true })
    if (!done.ok) throw new Error(JSON.stringify(done))
    expected = done.sequence
    say(`ack ${stream} ${done.sequence}`)
  }
}

/** At once and in full: what was printed must not wait in a buffer when the process dies. */
function say(line: string) {
  writeSync(1, `${line}\n`)
}
