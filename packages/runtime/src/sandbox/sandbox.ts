import type { EventOf, SandboxApplied, SandboxViolation } from "@factum/facts"
import type { Boundary, ToolFact, Workspace } from "../ports/tool.ts"
import { bubblewrapArguments, type Masks } from "./bubblewrap.ts"
import { type Probe, probeBubblewrap } from "./probe.ts"

export type Applied = Omit<EventOf<typeof SandboxApplied>["payload"], "process_id">
export type Violation = Omit<EventOf<typeof SandboxViolation>["payload"], "process_id">

/** A boundary that can be had, or why it cannot: then the caller asks or denies, and nothing has run. */
export type Confinement =
  | {
      ok: true
      /** The command inside of the boundary. */
      wrap(command: readonly string[]): string[]
      /** Whether a driver stands between the runtime and the command. */
      wrapped: boolean
      applied: Applied
    }
  | { ok: false; reason: string; applied: Applied }

export interface Sandbox {
  readonly probe: Probe
  confine(boundary: Boundary, where: Workspace): Confinement
}

/** Looks once what the machine can enforce. */
export async function openSandbox(options: Masks & { program?: string } = {}): Promise<Sandbox> {
  return createSandbox(await probeBubblewrap(options.program), options)
}

export function createSandbox(probe: Probe, masks: Masks = {}): Sandbox {
  return {
    probe,
    confine(boundary, where) {
      // Running outside is a boundary of its own that someone has to decide for, never a substitute for another.
      if (boundary.profile === "full" && boundary.network === "all") {
        const applied = inForce(boundary, "none", ["/"])
        return { ok: true, wrapped: false, wrap: (command) => [...command], applied }
      }
      if (!probe.ok) return unavailable(boundary, probe.reason)
      if (typeof boundary.network === "object") {
        return unavailable(boundary, "bubblewrap cannot limit the network to a list of domains")
      }
      const args = bubblewrapArguments(boundary, where, masks, process.getuid?.() === 0)
      return {
        ok: true,
        wrapped: true,
        wrap: (command) => [probe.program, ...args, "--", ...command],
        applied: inForce(boundary, "bubblewrap", writableIn(boundary, where)),
      }
    },
  }
}

export const sandboxApplied = (applied: Applied, process_id?: string): ToolFact => ({
  type: "sandbox.applied",
  payload: process_id === undefined ? applied : { ...applied, process_id },
})

export const sandboxViolation = (violation: Violation, process_id?: string): ToolFact => ({
  type: "sandbox.violation",
  payload: process_id === undefined ? violation : { ...violation, process_id },
})

/** The boundary of a tool that runs inside of the runtime and checks each path or address itself. */
export const checkedByTool = (boundary: Boundary, where: Workspace): Applied =>
  inForce(
    boundary,
    "tool",
    boundary.profile === "workspace_write" ? where.roots : writableIn(boundary, where),
  )

function writableIn({ profile }: Boundary, { roots }: Workspace): readonly string[] {
  if (profile === "full") return ["/"]
  return profile === "workspace_write" ? [...roots, "/tmp (private)"] : ["/tmp (private)"]
}

function inForce(boundary: Boundary, driver: string, writable: readonly string[]): Applied {
  return {
    requested: asked(boundary),
    profile: boundary.profile,
    driver,
    in_force: true,
    readable: ["/"],
    writable: [...writable],
    network: networkRule(boundary),
  }
}

function unavailable(boundary: Boundary, reason: string): Confinement {
  const applied: Applied = {
    requested: asked(boundary),
    profile: "none",
    driver: "bubblewrap",
    in_force: false,
    reason,
    readable: [],
    writable: [],
    network: "unknown",
  }
  return { ok: false, reason, applied }
}

function asked({ profile, network }: Boundary): string {
  const reach = typeof network === "object" ? `only ${network.domains.join(", ")}` : network
  return `${profile}, network ${reach}`
}

const networkRule = ({ network }: Boundary): Applied["network"] =>
  typeof network === "object" ? "limited" : network === "all" ? "full" : "none"
