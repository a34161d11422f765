import { spawn } from "node:child_process"
import { drift } from "./drift.ts"

type Outcome = { name: string; ok: boolean; output: string; seconds: number }
type Answer = { ok: boolean; output: string }

const root = new URL("..", import.meta.url).pathname
const colour = process.stdout.isTTY ? "force" : "off"

const outcomes = await Promise.all([
  timed("format and lint", () => tool("@biomejs/biome/bin/biome", "ci", `--colors=${colour}`, ".")),
  timed("types", () => tool("typescript/bin/tsc", "-p", ".", "--pretty", String(colour === "force"))),
  timed("architecture", () =>
    tool("vitest/vitest.mjs", "run", "--reporter=dot", "test/architecture.test.ts"),
  ),
  timed("generated files", async () => {
    const lines = await drift(root)
    return { ok: lines.length === 0, output: lines.join("\n") }
  }),
])

for (const { name, output } of outcomes.filter(({ ok }) => !ok)) console.log(`\n-- ${name}\n${output.trim()}`)
console.log()
for (const { name, ok, seconds } of outcomes) {
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(16)} ${seconds.toFixed(1)} s`)
}
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1

async function timed(name: string, perform: () => Promise<Answer>): Promise<Outcome> {
  const started = performance.now()
  const answer = await perform().catch((error: unknown) => ({ ok: false, output: String(error) }))
  return { name, ...answer, seconds: (performance.now() - started) / 1000 }
}

function tool(script: string, ...args: string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`node_modules/${script}`, ...args], { cwd: root })
    let output = ""
    child.stdout.on("data", (bytes) => (output += bytes))
    child.stderr.on("data", (bytes) => (output += bytes))
    child.on("error", reject)
    child.on("close", (code) => resolve({ ok: code === 0, output }))
  })
}
