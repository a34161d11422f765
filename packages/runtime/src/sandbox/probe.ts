import { spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { bubblewrapArguments } from "./bubblewrap.ts"

export type Probe = { ok: true; program: string; version: string } | { ok: false; reason: string }

const timeLimitMs = 10_000

/** Runs a command inside a boundary and looks from outside whether it held. */
export async function probeBubblewrap(program = "bwrap"): Promise<Probe> {
  if (process.platform !== "linux") return { ok: false, reason: "bubblewrap exists on Linux only" }
  const version = await runProgram(program, ["--version"])
  if (version.code !== 0) return { ok: false, reason: `${program} does not start: ${version.why}` }
  const outside = `/factum-probe-${process.pid}-${Date.now()}`
  const boundary = { profile: "read_only", network: "none" } as const
  const args = bubblewrapArguments(boundary, { cwd: "/", roots: [] }, {}, process.getuid?.() === 0)
  const script = `cat /proc/net/dev && echo inside && if : > ${outside}; then echo open; fi`
  const { code, output, why } = await runProgram(program, [...args, "--", "/bin/sh", "-c", script])
  const written = existsSync(outside)
  rmSync(outside, { force: true })
  if (!output.includes("inside")) return { ok: false, reason: `${program} cannot set up a boundary: ${why}` }
  if (written || output.includes("open")) return { ok: false, reason: "a forbidden write was not prevented" }
  const devices = [...output.matchAll(/^\s*([\w.-]+):/gm)].map((match) => match[1])
  if (devices.some((name) => name !== "lo")) return { ok: false, reason: "the network was not taken away" }
  if (code === null) return { ok: false, reason: `the probe did not end: ${why}` }
  return { ok: true, program, version: version.output.trim() }
}

type Ran = { code: number | null; output: string; why: string }

function runProgram(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeLimitMs,
      killSignal: "SIGKILL",
    })
    let output = ""
    let errors = ""
    child.stdout.on("data", (bytes: Buffer) => {
      output += bytes.toString()
    })
    child.stderr.on("data", (bytes: Buffer) => {
      errors += bytes.toString()
    })
    child.on("error", ({ message }) => resolve({ code: null, output, why: message }))
    child.on("close", (code, signal) =>
      resolve({ code, output, why: errors.trim() || (signal ?? `it ended with ${code}`) }),
    )
  })
}
