const secretName = /key|token|secret|passw|credential|auth|cookie|session|private|dsn|database_url/i
const ours = /^(?:FACTUM_|npm_|NODE_OPTIONS$|NODE_CHANNEL_|VITEST)/

/** The variables of the runtime that a process may have: nothing that is named like a secret, nothing of ours. */
export function childEnvironment(own: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(own).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && !secretName.test(entry[0]) && !ours.test(entry[0]),
    ),
  )
  // At the first level bash takes an open input for a remote login and runs the person's own start-up file.
  return { ...kept, SHLVL: String(Math.max(1, Number(own.SHLVL) || 0)) }
}
