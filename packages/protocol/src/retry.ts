import type { ProtocolIssue } from "./issues.ts"

/** More would bury the points that matter. */
const most = 20

const example = '{"kind":"act","calls":[{"id":"read_one","type":"tool","name":"read","args":{}}]}'

/** What the model is told when its output was refused. */
export function retryText(issues: readonly ProtocolIssue[]): string {
  const points = issues.slice(0, most).map(({ code, path, message, fix }) => {
    const place = path === "" ? "" : ` at ${path}`
    return `- ${code}${place}: ${message} ${fix}`
  })
  const rest = issues.length > most ? [`- And ${issues.length - most} more like these.`] : []
  return [
    "Nothing was executed: the output does not follow the protocol. Correct these points:",
    ...points,
    ...rest,
    "",
    "Then give one complete declaration. The simplest form is one AgentProtocolOutput call, for example:",
    example,
  ].join("\n")
}
