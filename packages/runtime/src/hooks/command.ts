import { type ChildProcess, spawn } from "node:child_process"
import { plainEnvironment } from "../environment.ts"
import { type Answered, type HookFailure, malformed, readAnswer } from "./answer.ts"
import { type CommandHook, defaultTimeoutMs, type HookCall } from "./declaration.ts"

const mostOutput = 1024 * 1024
const mostComplaint = 2000

type Ended =
  | { kind: "exited"; code: number | null; signal: string | null }
  | { kind: "unstarted"; message: string }
  | { kind: "killed"; failure: HookFailure }

/** Runs the command in a process group of its own, so that nothing it started outlives it. */
export function runCommand(
  hook: CommandHook,
  call: HookCall,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<Answered> {
  return new Promise((resolve) => {
    const child = spawn(hook.command, [...(hook.args ?? [])], {
      cwd,
      env: { ...plainEnvironment(), ...hook.env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    })
    const out: Buffer[] = []
    let size = 0
    let complaint = ""
    let killed: HookFailure | undefined

    const kill = (failure: HookFailure) => {
      killed ??= failure
      endGroup(child)
    }
    const limit = hook.timeout_ms ?? defaultTimeoutMs
    const timer = setTimeout(() => {
      kill({ cause: "timed_out", message: `The hook did not answer within ${limit} ms and was ended.` })
    }, limit)
    const interrupt = () => kill({ cause: "interrupted", message: "The work was interrupted." })
    signal.addEventListener("abort", interrupt, { once: true })
    if (signal.aborted) interrupt()

    let over = false
    const end = (ended: Ended) => {
      if (over) return
      over = true
      clearTimeout(timer)
      signal.removeEventListener("abort", interrupt)
      resolve(answerOf(ended, Buffer.concat(out).toString("utf8"), complaint, call))
    }

    child.stdout.on("data", (bytes: Buffer) => {
      size += bytes.length
      if (size <= mostOutput) out.push(bytes)
      else kill({ cause: "malformed", message: `The hook wrote more than ${mostOutput} bytes.` })
    })
    child.stderr.on("data", (bytes: Buffer) => {
      complaint = `${complaint}${bytes}`.slice(-mostComplaint)
    })
    // A hook need not read its input.
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(call))
    child.on("error", (error) => end({ kind: "unstarted", message: error.message }))
    // What the command left running would hold its output open.
    child.on("exit", () => endGroup(child))
    child.on("close", (code, by) => {
      end(killed === undefined ? { kind: "exited", code, signal: by } : { kind: "killed", failure: killed })
    })
  })
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // The whole group is gone already, or the system knows no groups.
    child.kill("SIGKILL")
  }
}

function answerOf(ended: Ended, output: string, complaint: string, call: HookCall): Answered {
  if (ended.kind === "killed") return { ok: false, failure: ended.failure, output }
  if (ended.kind === "unstarted") {
    const message = `The hook could not be started: ${ended.message}`
    return { ok: false, failure: { cause: "threw", message }, output }
  }
  if (ended.code !== 0) {
    const how = ended.code === null ? `was ended by ${ended.signal}` : `ended with code ${ended.code}`
    const message = [`The hook ${how}.`, complaint.trim()].filter(Boolean).join(" ")
    return { ok: false, failure: { cause: "threw", message }, output }
  }
  if (output.trim() === "") return readAnswer(undefined, call.point)
  try {
    return readAnswer(JSON.parse(output), call.point)
  } catch {
    return malformed("The hook's answer is no JSON.", output)
  }
}
