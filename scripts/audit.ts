import { spawnSync } from "node:child_process"
import { z } from "zod"

/** What npm says, one way or the other: a report, or why there is none. */
const Report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), via: z.array(z.unknown()) }),
  ),
  metadata: z.object({ dependencies: z.object({ prod: z.number() }) }),
})
const Unanswered = z.object({ message: z.string() })
const Advisory = z.object({ title: z.string(), url: z.string() })

const grave = new Set(["high", "critical"])

process.exitCode = audit(new URL("..", import.meta.url).pathname)

/** 0: nothing grave is known; 1: something is; 2: nobody could be asked, so nothing was checked. */
function audit(folder: string): number {
  const args = ["audit", "--omit=dev", "--audit-level=high", "--json"]
  const shell = process.platform === "win32"
  const npm = spawnSync("npm", args, { cwd: folder, encoding: "utf8", shell, timeout: 300_000 })
  const said = parsed(npm.stdout ?? "")
  const report = Report.safeParse(said)
  if (!report.success) {
    const unanswered = Unanswered.safeParse(said)
    const why = unanswered.success ? unanswered.data.message : (npm.error?.message ?? npm.stderr.trim())
    console.log(
      `Not audited: the registry does not answer audits (${why}). Ask one that does: npm_config_registry=<url>.`,
    )
    return 2
  }
  const { vulnerabilities, metadata } = report.data
  const found = Object.entries(vulnerabilities).filter(([, { severity }]) => grave.has(severity))
  for (const [name, { severity, range, via }] of found) {
    console.log(`${severity} ${name} ${range}`)
    for (const one of via) {
      const advisory = Advisory.safeParse(one)
      if (advisory.success) console.log(`  ${advisory.data.title} ${advisory.data.url}`)
    }
  }
  const { prod } = metadata.dependencies
  console.log(`${prod} packages audited: ${found.length} with high or critical advisories.`)
  return found.length === 0 ? 0 : 1
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
