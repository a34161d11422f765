import { spawn } from "node:child_process"
import { constants } from "node:os"
import { join } from "node:path"
import { prepare, root, Unprepared } from "./prepare.mjs"
import { buildWorkbench } from "./workbench.mjs"

try {
  start(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Unprepared)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function start(args) {
  const node = prepare()
  if (!buildWorkbench(node)) throw new Unprepared("The workbench was not built; see above.")
  // npm carries scripts out in its own folder, and tells where the command was given.
  const cwd = process.env.INIT_CWD || process.cwd()
  const host = spawn(node, [join(root, "apps", "host", "src", "main.ts"), ...args], { stdio: "inherit", cwd })
  let isEnding = false
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      isEnding = true
      pass(host, signal)
    })
  }
  // A supervisor that ends npm does not reach this process; without its parent the host ends too.
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    // A host that is ending would take it for "at once".
    if (!isEnding) host.kill("SIGTERM")
  }, 1000).unref()
  host.on("error", (error) => {
    console.error(`The host did not start: ${error.message}`)
    process.exitCode = 1
  })
  host.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}

function pass(host, signal) {
  // A terminal has already sent its interrupt to the host too: a second one would mean "at once".
  if (signal === "SIGINT" && process.stdin.isTTY) return
  host.kill(signal)
}
