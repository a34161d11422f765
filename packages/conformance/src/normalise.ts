/** What differs from run to run and from machine to machine, and nothing else. */
export type Varying = {
  /** The folder that the scenario worked in. */
  workspace: string
  /** The program that runs scripts. */
  node: string
}

/** Fields whose values depend on the moment or on the machine. */
const momentary: Readonly<Record<string, unknown>> = {
  duration_ms: 0,
  cpu_ms: 0,
  pid: 0,
  os: "<os>",
}

/** Paths, durations, numbers of processes, and the digests and sizes of texts that name a path. */
export function normalised(value: unknown, varying: Varying, within = false): unknown {
  if (typeof value === "string")
    return value.replaceAll(varying.workspace, "<workspace>").replaceAll(varying.node, "<node>")
  if (Array.isArray(value)) return value.map((item) => normalised(item, varying, within))
  if (typeof value !== "object" || value === null) return value
  const told = "preview" in value || "summary" in value || "path" in value
  const named = within || (told && JSON.stringify(value).includes(varying.workspace))
  // Of a process that is ended, the shell or what confines it may be told first.
  const terminated = "exit_code" in value && "by" in value
  const entries = Object.entries(value).filter(([key]) => !(terminated && key === "signal"))
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (terminated && key === "exit_code") return [key, "unknown"]
      if (Object.hasOwn(momentary, key) && item !== "unknown") return [key, momentary[key]]
      if (named && key === "digest") return [key, "<digest>"]
      if (named && key === "bytes") return [key, 0]
      return [key, normalised(item, varying, named)]
    }),
  )
}
