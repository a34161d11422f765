// Runs on Node 20: brings what a command of the project needs, then runs it on the newer Node.
import { spawn } from "node:child_process"
import { delimiter, dirname } from "node:path"
import { prepare, root, Unprepared } from "./prepare.mjs"

try {
  const node = prepare({ dev: true })
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` }
  const child = spawn(node, process.argv.slice(2), { cwd: root, env, stdio: "inherit" })
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  process.on("SIGINT", () => {})
  child.on("exit", (code) => {
    process.exitCode = code ?? 1
  })
} catch (error) {
  if (!(error instanceof Unprepared)) throw error
  console.error(error.message)
  process.exitCode = 1
}
