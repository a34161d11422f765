import type { RuntimeStatusView } from "@factum/agent-ui"
import { memo, useMemo } from "react"
import { useSummary } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Copy } from "../ui/Copy.tsx"
import { EarlierLines, ProcessRows, StepsLine, sameRows } from "./InlineProcess.tsx"
import { AnswerText, CopyAnswer, Links, Steered, UserMessage } from "./Message.tsx"
import type { SurfaceProps } from "./props.ts"
import { RunFoot, RuntimeStatus } from "./RuntimeStatus.tsx"
import { endedAs, type TurnItem } from "./turns.ts"

type Props = {
  turn: TurnItem
  /** Of the newest run alone. */
  status: RuntimeStatusView | undefined
  waiting: number
  isLast: boolean
  /** What the page's address names: the turn, or a message of it. */
  named?: string | undefined
  linkTo?: ((at: string) => string) | undefined
  onIntent: SurfaceProps<unknown>["onIntent"]
}

/** One question and what came of it: open while it runs, folded when it is done. */
export const Turn = memo(
  function Turn({ turn: given, status, waiting, isLast, named, linkTo, onIntent }: Props) {
    const words = useWords()
    const turn = useEnded(given)
    const { runId, summary, answers, pieces } = turn
    const hasText = answers.some(({ text }) => text.length > 0)
    const again =
      isLast &&
      runId !== undefined &&
      summary !== undefined &&
      isLost(summary.status) &&
      turn.asked.length > 0
        ? () => onIntent({ control: "retry", target: { kind: "run", id: runId } })
        : undefined
    const who = answers[0]?.who
    return (
      <article
        data-turn={turn.key}
        data-status={turn.live ? (status?.status ?? "unknown") : (summary?.status ?? "sending")}
        data-named={named === turn.key || undefined}
        className="data-named:border-accent pb-2 data-named:-ml-3 data-named:border-l-2 data-named:pl-[10px]"
      >
        {turn.asked.map((row) => (
          <UserMessage
            key={row.messageId}
            row={row}
            isNamed={named === row.messageId}
            link={linkTo && (() => linkTo(row.messageId))}
          />
        ))}
        <div className="mt-3">
          {who !== undefined && <p className="meta font-medium">{who.name}</p>}
          {summary !== undefined && <StepsLine summary={summary} />}
          {runId !== undefined && <EarlierLines count={turn.earlier} runId={runId} onIntent={onIntent} />}
          {pieces.map((piece) =>
            piece.kind === "rows" ? (
              <ProcessRows key={piece.key} rows={piece.rows} onIntent={onIntent} />
            ) : piece.kind === "steer" ? (
              <Steered key={piece.key} row={piece.row} />
            ) : (
              <AnswerText key={piece.key} part={piece.part} />
            ),
          )}
          {answers.map((row) => (
            <Links key={row.messageId} row={row} onIntent={onIntent} />
          ))}
          {turn.live && status !== undefined && (
            <RuntimeStatus view={status} waiting={waiting} onIntent={onIntent} />
          )}
          {!turn.live && summary !== undefined && (
            <div className="flex flex-wrap items-end justify-between gap-2">
              <RunFoot summary={summary} hasText={hasText} onAgain={again} />
              <span className="flex">
                {linkTo && (
                  <Copy text={() => linkTo(turn.key)} name={words.link} label={words.talk.copyTurnLink} />
                )}
                {hasText && <CopyAnswer rows={answers} />}
              </span>
            </div>
          )}
          {!turn.live && summary === undefined && hasText && <CopyAnswer rows={answers} />}
          {pieces.length === 0 && turn.live && <span className="sr-only">{words.talk.notYet}</span>}
        </div>
      </article>
    )
  },
  (a, b) =>
    a.status === b.status &&
    a.waiting === b.waiting &&
    a.isLast === b.isLast &&
    a.named === b.named &&
    a.linkTo === b.linkTo &&
    a.onIntent === b.onIntent &&
    sameTurn(a.turn, b.turn),
)

/** The view of the process has the newest turns; how an older one ended is asked for when it is looked at. */
function useEnded(turn: TurnItem): TurnItem {
  const summary = useSummary(turn.live || turn.summary !== undefined ? undefined : turn.runId)
  return useMemo(() => (summary === undefined ? turn : endedAs(turn, summary)), [turn, summary])
}

const isLost = (status: string) => ["failed", "interrupted", "unknown"].includes(status)

/** Turns are put together anew with every change; what they are made of keeps its reference. */
function sameTurn(a: TurnItem, b: TurnItem): boolean {
  return (
    a.key === b.key &&
    a.live === b.live &&
    a.summary === b.summary &&
    a.earlier === b.earlier &&
    sameRows(a.asked, b.asked) &&
    sameRows(a.answers, b.answers) &&
    a.pieces.length === b.pieces.length &&
    a.pieces.every((piece, at) => {
      const other = b.pieces[at]
      if (piece.kind === "text") return other?.kind === "text" && piece.part === other.part
      if (piece.kind === "steer") return other?.kind === "steer" && piece.row === other.row
      return other?.kind === "rows" && sameRows(piece.rows, other.rows)
    })
  )
}
