const always =
  process.platform === "win32"
    ? ["PATH", "Path", "USERPROFILE", "SYSTEMROOT", "TEMP", "PATHEXT", "COMSPEC"]
    : ["PATH", "HOME"]

/** What every child process is given of our own environment. Secrets of the host are not in it. */
export function plainEnvironment(from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    always.flatMap((name) => {
      const value = from[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
