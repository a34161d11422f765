import type { Artifact, Artifacts } from "./observation.ts"

/** The spelling that the transcript prints for an action's whole output. */
export const outputRef = (run_id: string, action_id: string): string => `artifact://${run_id}/${action_id}`

/**
 * One spelling for every way to name a stored record, without the part after `#`.
 * `artifact:<name>` belongs to the given run; nothing else depends on it.
 */
export function canonicalReference(ref: string, run_id: string): string | undefined {
  const [text = ""] = ref.split("#", 1)
  const name = /^artifact:([\w.-]+)$/.exec(text)?.[1]
  if (name !== undefined) return `runtime://runs/${run_id}/artifacts/${name}`
  const found = /^(runtime|artifact):\/\/(?:runs\/)?([\w.-]+)(?:\/(.*))?$/.exec(text)
  if (found === null) return undefined
  const [, scheme, run = "", path = ""] = found
  if (scheme === "artifact" && /^[\w.-]+$/.test(path)) return `runtime://runs/${run}/actions/${path}/output`
  return path === "" ? `runtime://runs/${run}` : `runtime://runs/${run}/${path}`
}

/** Artifacts in memory, found by any spelling of their reference. */
export function memoryArtifacts(): Artifacts {
  const stored = new Map<string, Artifact>()
  return {
    get: (ref) => stored.get(canonicalReference(ref, "") ?? ref),
    put: (artifact) => {
      stored.set(canonicalReference(artifact.ref, artifact.run_id) ?? artifact.ref, artifact)
    },
  }
}
