import type { ReviewLaneView, ReviewRow, Target, TargetKind } from "@factum/agent-ui"
import { memo, useState } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn } from "../ui/ActOn.tsx"
import { Button } from "../ui/Button.tsx"
import { Facts, Value } from "../ui/Facts.tsx"
import { Name } from "../ui/Name.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Status } from "../ui/Status.tsx"
import { MarkLine, SurfacePanel } from "../ui/SurfacePanel.tsx"
import { Ago } from "../ui/Time.tsx"
import type { SurfaceProps } from "./props.ts"

/** What reviewers decided, on what, and what they want changed. */
export const ReviewLane = memo(function ReviewLane({ view, onIntent }: SurfaceProps<ReviewLaneView>) {
  const { catalog, team } = useWords()
  const [choosing, setChoosing] = useState(false)
  const { reviews, open, reviewable } = view
  return (
    <SurfacePanel
      view={view}
      has={reviews.length > 0}
      marks={reviews}
      actions={open > 0 && <span className="meta">{team.review.open(open)}</span>}
      onControl={(control) => control === "request_review" && setChoosing(!choosing)}
      top={
        choosing &&
        reviews.length === 0 && (
          <div className="flex flex-col items-start gap-1 px-3 pb-2">
            <p className="meta">{team.review.ask}</p>
            {reviewable.map(({ artifactId, title, versionId }) => (
              <Button
                key={artifactId}
                onClick={() => {
                  setChoosing(false)
                  const target: Target = { kind: "artifact", id: artifactId }
                  onIntent({
                    control: "request_review",
                    target: versionId === undefined ? target : { ...target, version: versionId },
                  })
                }}
              >
                {title ?? artifactId}
              </Button>
            ))}
          </div>
        )
      }
    >
      <Rows
        label={catalog.surface.review_lane}
        items={reviews.toReversed()}
        idOf={({ reviewId }) => reviewId}
        head={(row) => <Head row={row} />}
      >
        {(row) => {
          const target = targetOf(row)
          return (
            <>
              <Detail
                row={row}
                onEvidence={(id) => onIntent({ control: "open_detail", target: { kind: "evidence", id } })}
              />
              <ActOn
                offered={row.controls}
                name={row.targetTitle ?? target?.id ?? row.reviewId}
                onIntent={onIntent}
                makes={{
                  ...(target && { request_review: { control: "request_review", target } }),
                  open_detail: {
                    control: "open_detail",
                    target: { kind: "evidence", id: row.evidence[0]?.evidenceId ?? row.reviewId },
                  },
                }}
              />
            </>
          )
        }}
      </Rows>
    </SurfacePanel>
  )
})

const kinds: readonly TargetKind[] = ["artifact", "task", "run", "session", "message", "tool", "evidence"]

/** A target of a kind that has no port of its own is reviewed as the task that it is. */
function targetOf({ target }: ReviewRow): Target | undefined {
  if (typeof target === "string") return undefined
  const kind = kinds.find((known) => known === target.kind) ?? "task"
  return { kind, id: target.id, ...(target.version !== undefined && { version: target.version }) }
}

function Head({ row }: { row: ReviewRow }) {
  const { catalog, space, team } = useWords()
  const { verdict, target, targetTitle, targetVersion } = row
  const said =
    verdict === "unknown" || verdict === "unavailable" ? undefined : wordOf(catalog.status, verdict)
  return (
    <>
      <span className="mt-[3px] flex">
        <Status status={row.status} quiet />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          {typeof target === "string" ? team.notReported : (targetTitle ?? target.id)}
          {typeof target !== "string" && target.version !== undefined && (
            <span className="meta ml-1.5">{space.version(targetVersion ?? target.version)}</span>
          )}
        </span>
        <span className="meta block">
          <Name who={row.reviewer} />
        </span>
      </span>
      <span className="shrink-0 pt-0.5 text-right" data-verdict={verdict}>
        {said ?? <StatusText status={row.status} />}
      </span>
    </>
  )
}

function StatusText({ status }: { status: string }) {
  const { catalog } = useWords()
  return (
    <span className="meta">
      {status === "unknown" ? catalog.state.unknown : wordOf(catalog.status, status)}
    </span>
  )
}

function Detail({ row, onEvidence }: { row: ReviewRow; onEvidence: (evidenceId: string) => void }) {
  const { catalog, team } = useWords()
  const { fields } = team
  return (
    <>
      <MarkLine mark={row} />
      {row.requestedFixes.length > 0 && (
        <div>
          <h3 className="meta">{fields.fixes}</h3>
          <ul className="list-disc pl-5">
            {row.requestedFixes.map((fix) => (
              <li key={fix} className="break-words">
                {fix}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Facts
        facts={[
          [
            fields.verdict,
            row.verdict === "unknown" || row.verdict === "unavailable"
              ? row.verdict
              : wordOf(catalog.status, row.verdict),
          ],
          [
            fields.target,
            typeof row.target === "string" ? row.target : `${row.target.kind} ${row.target.id}`,
          ],
          [fields.updated, row.at && <Ago key="at" time={row.at} />],
          [
            fields.evidence,
            row.evidence.length > 0 && (
              <ul key="evidence">
                {row.evidence.map(({ evidenceId, verdict, state }) => (
                  <li key={evidenceId}>
                    <button
                      type="button"
                      data-link="evidence"
                      className="text-accent underline underline-offset-2 break-all"
                      onClick={() => onEvidence(evidenceId)}
                    >
                      {evidenceId}
                    </button>{" "}
                    {state === "unknown" ? (
                      <Value value="unknown" />
                    ) : (
                      verdict && wordOf(catalog.status, verdict)
                    )}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </>
  )
}
