#!/usr/bin/env node
// Runs on Node 20: the command itself needs 24, which npm brought beside it where this machine has none.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const oldestNode = 24
const main = new URL("./host/src/main.js", import.meta.url)

if (Number.parseInt(process.versions.node, 10) >= oldestNode) await import(main.href)
else runOnNewerNode()

function runOnNewerNode() {
  const node = newerNode()
  if (node === undefined) {
    console.error(
      `Factum needs Node ${oldestNode} or newer; this is ${process.versions.node}. Install it from https://nodejs.org, or install factum with optional dependencies enabled.`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" })
  // A terminal sends its interrupt to the child as well; other signals reach this process alone.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"))
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}

function newerNode() {
  const require = createRequire(import.meta.url)
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      const folder = dirname(require.resolve(`${name}/package.json`))
      return join(folder, "bin", process.platform === "win32" ? "node.exe" : "node")
    } catch {
      // Not for this platform, or left out on installing.
    }
  }
  return undefined
}
