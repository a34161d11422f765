import { spawn } from "node:child_process"
import { once } from "node:events"
import { command, saying } from "../apps/host/test/asking.ts"
import { appendFacts, startTestHost } from "../apps/host/test/hosting.ts"
import { crowd, storm } from "../apps/host/test/storm.ts"

// The storm and the crowd of the host's tests in full size: `npm run storm -- [clients] [drops] [connections]`.
const [first = "500", second = "20", third = "10000"] = process.argv.slice(2)
const needed = Number(third) + 1000
const allowed = openFiles()
if (allowed < needed) {
  console.error(
    `A process may open ${allowed} files here, and ${needed} are needed: raise it with ulimit -n.`,
  )
  process.exitCode = 1
} else if (first === "crowd") await stand(second, Number(third))
else await weather(Number(first), Number(second), Number(third))

async function weather(clients: number, drops: number, connections: number): Promise<void> {
  const host = await startTestHost()
  const started = performance.now()
  const { wrong, facts, connections: made } = await storm(host, { clients, drops, sessions: 20 })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${clients} clients, ${made} connections, ${facts} facts in ${seconds} s, ${wrong.length} wrong`,
  )
  for (const one of wrong.slice(0, 20)) console.log(one)

  await appendFacts(host, "ses_crowd", 1)
  const before = process.memoryUsage().rss
  const url = `${host.url}/v1/sessions/ses_crowd/facts?after=1`
  // In a process of its own: a process may have only so many files open.
  const child = spawn(process.execPath, [import.meta.filename, "crowd", url, String(connections)], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  await once(child.stdout, "data")
  const each = (process.memoryUsage().rss - before) / connections
  const asked = performance.now()
  const answer = await command(host.url, "submit_turn", { create: "session", input: saying("hi") })
  const took = (performance.now() - asked).toFixed(1)
  console.log(
    `${connections} open streams of ${Math.round(each / 1024)} KiB; a command is answered with ${answer.status} in ${took} ms`,
  )
  child.stdin.end()
  await once(child, "exit")
  await host.stop()
  process.exitCode = wrong.length === 0 && answer.status === 200 ? 0 : 1
}

async function stand(url: string, count: number): Promise<void> {
  const disperse = await crowd(url, count)
  console.log("all here")
  process.stdin.resume()
  await once(process.stdin, "end")
  disperse()
}

/** How many a process may open; Node has raised it to what the system allows. */
function openFiles(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } }
  }
  const soft = userLimits?.open_files?.soft ?? "unlimited"
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft)
}
