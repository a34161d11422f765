import { accessSync, constants } from "node:fs"
import { dirname, resolve } from "node:path"
import type { Boundary, Workspace } from "../ports/tool.ts"
import { isInside } from "./bubblewrap.ts"
import type { Violation } from "./sandbox.ts"

const readOnly = /read-only file system|\bEROFS\b/i
const denied = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i
const unreachable = /network is unreachable|\bENETUNREACH\b/i
const noName =
  /could not resolve host|temporary failure in name resolution|name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b/i

const mostReported = 20

/** Attempts to cross the boundary, as the errors of the programs inside tell them. The kernel has prevented each. */
export function findViolations(
  errors: string,
  boundary: Boundary,
  where: Workspace,
  visible: (path: string) => boolean = writableOutside,
): readonly Violation[] {
  const found = new Map<string, Violation>()
  for (const line of errors.split(/\r?\n/)) {
    const crossing = crossingIn(line, boundary, where, visible)
    if (crossing === undefined) continue
    const violation = { ...crossing, profile: boundary.profile, detected_by: "error output", prevented: true }
    found.set(`${violation.operation} ${violation.target}`, violation)
    if (found.size === mostReported) break
  }
  const all = [...found.values()]
  // A program often says the same twice, once without a name.
  const isNamed = (operation: string) => all.some((v) => v.operation === operation && v.target !== "unknown")
  return all.filter(({ operation, target }) => target !== "unknown" || !isNamed(operation))
}

type Crossing = Pick<Violation, "operation" | "target">

function crossingIn(
  line: string,
  { profile, network }: Boundary,
  where: Workspace,
  visible: (path: string) => boolean,
): Crossing | undefined {
  if (network === "none" && (unreachable.test(line) || noName.test(line))) {
    return { operation: "connect", target: addressIn(line) ?? "unknown" }
  }
  if (profile === "full") return undefined
  const path = pathIn(line, where.cwd)
  if (readOnly.test(line)) return { operation: "write", target: path ?? "unknown" }
  if (!denied.test(line) || path === undefined || isWritable(path, profile, where)) return undefined
  // Where the runtime itself could not write either, the file's own rights said no, not the boundary.
  return visible(path) ? { operation: "write", target: path } : undefined
}

function isWritable(path: string, profile: Boundary["profile"], { roots }: Workspace): boolean {
  return profile === "workspace_write" && roots.some((root) => isInside(path, root))
}

function writableOutside(path: string): boolean {
  for (const candidate of [path, dirname(path)]) {
    try {
      accessSync(candidate, constants.W_OK)
      return true
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) return false
    }
  }
  return false
}

/** The path that the message names: in quotes, or the last word before the reason that looks like one. */
function pathIn(line: string, cwd: string): string | undefined {
  const quoted = [...line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)].map((match) => match[1] ?? "")
  const words = line.split(/:\s|\s+/).filter((word) => /^(?:~|\.{0,2})\/\S/.test(word))
  const path = quoted.at(-1) ?? words.at(-1)?.replace(/[:;,.]+$/, "") ?? beforeReason(line)
  return path === undefined || path.startsWith("~") ? undefined : resolve(cwd, path)
}

/** `sh: 1: cannot create out.txt: Read-only file system` */
const beforeReason = (line: string): string | undefined =>
  /([^\s:]+): (?:read-only file system|permission denied|operation not permitted)/i.exec(line)?.[1]

function addressIn(line: string): string | undefined {
  const named =
    /\/dev\/tcp\/([^/\s]+)\/(\d+)/.exec(line) ??
    /\bhost:?\s+['"]?([\w.-]+\.[\w-]+|localhost)/i.exec(line) ??
    /\bto\s+['"[]?([\w.:-]+?)['"\]]?\s+port\s+(\d+)/i.exec(line) ??
    /\b(?:ENETUNREACH|ENOTFOUND|EAI_AGAIN)\s+([\w.-]+)(?::(\d+))?/.exec(line) ??
    /https?:\/\/([\w.-]+)(?::(\d+))?/.exec(line)
  if (!named?.[1]) return undefined
  return named[2] ? `${named[1]}:${named[2]}` : named[1]
}
