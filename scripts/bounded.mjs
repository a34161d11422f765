// Runs on Node 20.
import { spawn } from "node:child_process"

/** Runs a program of ours to its end, or ends it when it takes longer than this. Gives whether it ended well. */
export function runBounded(program, args, { limitMs, graceMs = 10_000, say = console.error, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", ...options })
    const stop = (signal) => child.kill(signal)
    process.on("SIGTERM", stop)
    let killing
    const patience = setTimeout(() => {
      say(`After ${limitMs / 1000} s this was still running and is ended: ${[program, ...args].join(" ")}`)
      child.kill("SIGTERM")
      // What hangs may not hear it.
      killing = setTimeout(() => child.kill("SIGKILL"), graceMs)
    }, limitMs)
    const over = () => {
      clearTimeout(patience)
      clearTimeout(killing)
      process.off("SIGTERM", stop)
    }
    child.on("error", (error) => {
      over()
      reject(error)
    })
    child.on("exit", (code) => {
      over()
      resolve(code === 0 && killing === undefined)
    })
  })
}
