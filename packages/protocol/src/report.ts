import type { ReportSpec } from "./declaration/normalized.ts"
import { plainLine } from "./escape.ts"
import type { Checked, ProtocolIssue } from "./issues.ts"
import { type ReferenceScope, resolveReference } from "./resolve.ts"

/** Builds a report from results that exist. One reference that cannot be read refuses the whole. */
export function buildReport(spec: ReportSpec, scope: ReferenceScope): Checked<string> {
  const issues: ProtocolIssue[] = []
  const parts = [`# ${plainLine(spec.title)}`]
  for (const [at, { heading, text, refs }] of spec.sections.entries()) {
    parts.push(`## ${plainLine(heading)}`)
    if (text !== undefined && text !== "") parts.push(text)
    for (const [index, ref] of refs.entries()) {
      const found = resolveReference(ref, scope, `payload.sections[${at}].refs[${index}]`)
      if (found.ok) parts.push(found.text)
      else issues.push(found.issue)
    }
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: `${parts.join("\n\n")}\n` }
}
