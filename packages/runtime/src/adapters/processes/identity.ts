import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** What tells a process from a later one that got the same number. */
export type OsIdentity = { pid: number; started_at: string }

/** The variable by which processes that left their group are known as ours. */
export const marker = "FACTUM_PROCESS_ID"

const linux = process.platform === "linux"

/** When the process with this number started, in the system's own words; nothing when there is none. */
export function startTime(pid: number): string | undefined {
  if (!linux) return listedStart(pid)
  const stat = statOf(pid)
  // Ticks count from the boot, so the same number may come again after another one.
  return stat === undefined || stat.state === "Z" ? undefined : `${bootId()}/${stat.started}`
}

/** The process of a former runtime, if it is still the same one. */
export function findOrphan({ pid, started_at }: OsIdentity): OsIdentity | undefined {
  return startTime(pid) === started_at ? { pid, started_at } : undefined
}

/**
 * Ends a left-over process with its group and proves it; a stranger that reused the number is not touched.
 * With the id under which it was started, children that left the group or outlived it are ended too.
 */
export async function endOrphan(
  orphan: OsIdentity,
  graceMs = 2_000,
  process_id?: string,
): Promise<"ended" | "not_found" | "alive"> {
  const outcome = findOrphan(orphan) === undefined ? "not_found" : await endFound(orphan, graceMs)
  if (outcome === "ended") sent(-orphan.pid, "SIGKILL")
  if (process_id !== undefined) endMarked(process_id)
  return outcome
}

async function endFound(orphan: OsIdentity, graceMs: number): Promise<"ended" | "alive"> {
  for (const [signal, patience] of [
    ["SIGTERM", graceMs],
    ["SIGKILL", 5_000],
  ] as const) {
    signalGroup(orphan.pid, signal)
    for (let waited = 0; waited <= patience; waited += 20) {
      if (findOrphan(orphan) === undefined) return "ended"
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return "alive"
}

/** Signals a whole group, or the process alone where it leads none. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  return sent(-pid, signal) || sent(pid, signal)
}

export function sent(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

/** The processes below this one, parents first. Empty where the system does not tell. */
export function descendants(pid: number): readonly number[] {
  const children = new Map<number, number[]>()
  for (const stat of allStats()) {
    const siblings = children.get(stat.parent)
    if (siblings) siblings.push(stat.pid)
    else children.set(stat.parent, [stat.pid])
  }
  const found: number[] = []
  for (let next = [pid]; next.length > 0; ) {
    next = next.flatMap((parent) => children.get(parent) ?? [])
    found.push(...next)
  }
  return found
}

/** Ends what a process left behind: its group, and what left the group but still carries its mark. */
export function sweep(pid: number, process_id: string): void {
  sent(-pid, "SIGKILL")
  endMarked(process_id)
}

function endMarked(process_id: string): void {
  for (const left of marked(process_id)) sent(left, "SIGKILL")
}

function marked(process_id: string): readonly number[] {
  const mark = `${marker}=${process_id}\0`
  return allPids().filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)
    } catch {
      return false
    }
  })
}

type Stat = { pid: number; state: string; parent: number; started: string }

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name in brackets may hold anything, brackets included.
    const [state = "", parent = "0", ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return { pid, state, parent: Number(parent), started: rest[17] ?? "" }
  } catch {
    return undefined
  }
}

const allPids = (): readonly number[] =>
  linux
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : []
const allStats = (): readonly Stat[] => allPids().flatMap((pid) => statOf(pid) ?? [])

let boot: string | undefined
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  return boot
}

function listedStart(pid: number): string | undefined {
  try {
    const args = ["-o", "lstart=", "-p", String(pid)]
    return execFileSync("ps", args, { encoding: "utf8", timeout: 5_000 }).trim() || undefined
  } catch {
    return undefined
  }
}
