import type { Control, PolicyRow, TeamPolicyView } from "@factum/agent-ui"
import { memo, useState } from "react"
import { useReach } from "../client/page.ts"
import { wordOf } from "../i18n/catalog.ts"
import { useWords, type Words } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Acts, Frame } from "../ui/Frame.tsx"
import { Limit } from "../ui/Limit.tsx"
import { Name, nameOf } from "../ui/Name.tsx"
import { State } from "../ui/State.tsx"
import { MarkLine } from "../ui/SurfacePanel.tsx"
import { Ago } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

const page = 100
/** What a decision is about stands on its card, and the decision with it. */
const onCard: readonly Control[] = ["approve", "reject"]

/** What each may do, under which boundary, and what it has left to spend. */
export const TeamPolicy = memo(function TeamPolicy({ view, onIntent }: SurfaceProps<TeamPolicyView>) {
  const { catalog, space, team } = useWords()
  const [shown, setShown] = useState(page)
  const { policies, cost, context } = view
  return (
    <Frame
      view={view}
      has={policies.length > 0}
      hint={space.policyHint}
      marks={policies}
      bar={
        (cost ?? context) !== undefined && (
          <div className="border-line flex flex-wrap gap-x-6 gap-y-1 border-b px-3 py-2">
            {cost !== undefined && <Limit label={space.cost} meter={cost} />}
            {context !== undefined && <Limit label={space.context} meter={context} />}
          </div>
        )
      }
    >
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        aria-label={catalog.surface.team_policy}
        className="thin-scroll min-h-0 flex-1 overflow-auto"
      >
        {policies.slice(0, shown).map((row) => (
          <li key={row.subjectKey} className="border-line border-b px-3 py-2" data-policy={row.subjectKey}>
            <Policy row={row} onIntent={onIntent} />
          </li>
        ))}
        {policies.length > shown && (
          <li className="px-3 py-2">
            <Button look="bare" onClick={() => setShown(shown + page)}>
              {team.more(Math.min(page, policies.length - shown))}
            </Button>
          </li>
        )}
      </ul>
    </Frame>
  )
})

function Policy({ row, onIntent }: { row: PolicyRow } & Pick<SurfaceProps<unknown>, "onIntent">) {
  const words = useWords()
  const { space } = words
  const { toRequest } = useReach()
  const name = row.who === undefined ? space.thisSession : nameOf(words, row.who)
  const agentId = row.who?.agentId
  const [actionId] = row.actionIds
  const act = (control: Control) => {
    if (control === "stop" && agentId !== undefined)
      void onIntent({ control, target: { kind: "agent", id: agentId } })
    if (control === "close" && agentId !== undefined) void onIntent({ control, agentId })
  }
  return (
    <article aria-label={name} className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium">
          {row.who === undefined ? name : <Name who={row.who} />}
          {row.differs && <span className="border-line meta ml-2 rounded border px-1">{space.differs}</span>}
        </h3>
        {row.actionIds.length > 0 && (
          <span className="inline-flex items-center gap-1.5">
            <State state="needsYou" quiet />
            {space.waiting(row.actionIds.length)}
            {actionId !== undefined && toRequest !== undefined && (
              <Button data-act="to-request" onClick={() => toRequest(actionId)}>
                {space.toRequest}
              </Button>
            )}
          </span>
        )}
        {row.at !== undefined && <Ago time={row.at} />}
      </div>
      <MarkLine mark={row} />
      <Facts
        facts={[
          [space.policy.mode, wordOf(space.modesOf, row.mode)],
          [space.policy.sandbox, sandboxOf(words, row)],
          [space.policy.approval, wordOf(space.approvalOf, row.approval)],
          [
            space.policy.plan,
            typeof row.planMode === "string" ? row.planMode : row.planMode ? space.on : space.off,
          ],
          [
            space.policy.budget,
            typeof row.budget === "string" ? (
              row.budget
            ) : (
              <Limit
                key="budget"
                label={space.policy.budget}
                meter={{
                  used: row.budget.used ?? "unknown",
                  limit: row.budget.limit ?? "unknown",
                  low: row.budget.state === "exhausted" || row.budget.state === "low",
                  ...(row.budget.unit !== undefined && { unit: row.budget.unit }),
                }}
              />
            ),
          ],
          [space.policy.risk, row.risk],
          [
            space.policy.violation,
            row.violation && `${row.violation.operation ?? ""} ${row.violation.target ?? ""}`.trim(),
          ],
          [space.policy.escalation, row.escalation && (row.escalation.reason ?? space.reasonUnknown)],
          [space.policy.waiver, row.waiver && (row.waiver.reason ?? row.waiver.ref ?? "unknown")],
          [space.policy.retention, row.retention && (row.retention.until ?? row.retention.ref ?? "unknown")],
          [space.policy.version, row.policyVersion],
        ]}
      />
      <Why row={row} />
      <Acts
        className="pt-0.5"
        offered={row.controls.filter(({ control }) => !onCard.includes(control))}
        about={name}
        onAct={act}
      />
    </article>
  )
}

/** Not what was asked for, but what is in force. */
function sandboxOf({ space }: Words, { sandbox }: PolicyRow) {
  if (typeof sandbox === "string") return sandbox
  const { profile, network, enforced, reason, roots = [] } = sandbox
  const inForce =
    enforced === undefined ? space.enforcementUnknown : enforced ? space.enforced : space.notEnforced
  return (
    <span data-enforced={enforced === undefined ? "unknown" : enforced}>
      <span className={enforced === false ? "text-bad" : ""}>{inForce}</span>
      {[profile, network && space.network(network), roots.length > 0 && space.roots(roots.join(", ")), reason]
        .filter((part) => typeof part === "string" && part !== "")
        .map((part) => ` · ${part}`)
        .join("")}
    </span>
  )
}

/** Which rule decided, among all that spoke. */
function Why({ row: { verdict, explanation } }: { row: PolicyRow }) {
  const { space } = useWords()
  if (verdict === undefined) return null
  const winner = explanation.find((one) => one.verdict === verdict)
  return (
    <details data-why>
      <summary className="meta hover:text-ink">
        {space.lastVerdict(wordOf(space.verdictOf, verdict))}
        {winner?.rule !== undefined && ` · ${winner.rule}`}
      </summary>
      <p className="meta pt-1">{explanation.length === 0 ? space.noExplanation : space.precedence}</p>
      <ul className="meta pt-1">
        {explanation.map(({ source, verdict: said, rule }, at) => (
          <li key={at} className={one(said, verdict) ? "text-ink font-medium" : ""}>
            {wordOf(space.sourceOf, source)} · {wordOf(space.verdictOf, said)}
            {rule !== undefined && ` · ${rule}`}
          </li>
        ))}
      </ul>
    </details>
  )
}

const one = (said: string, verdict: string) => said === verdict
