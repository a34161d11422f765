import type { TurnView } from "../client/conversation.ts"
import type { TurnFoot } from "../client/foot.ts"
import type { Intent } from "../client/store.ts"
import type { Words } from "../i18n/words.ts"
import { told, useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { count, duration } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"
import { useSeconds } from "../ui/useSeconds.ts"
import type { Draft } from "./Composer.tsx"

type Live = Extract<TurnFoot, { kind: "live" }>
type Ended = Extract<TurnFoot, { kind: "ended" }>
type Props = {
  turn: TurnView
  isLast: boolean
  onIntent: (intent: Intent) => void
  onDraft: Draft["change"]
}

export function Foot({ foot, ...props }: { foot: TurnFoot } & Props) {
  if (foot.kind === "live") return <LiveFoot foot={foot} />
  return foot.outcome === undefined ? <DoneFoot foot={foot} /> : <FailedFoot foot={foot} {...props} />
}

function LiveFoot({ foot }: { foot: Live }) {
  const words = useWords()
  const seconds = useSeconds(foot.since)
  const title = liveTitle(foot, words)
  return (
    <p className="meta mt-3 flex flex-wrap items-center gap-x-2" data-role="status">
      <State state={foot.state} quiet />
      <span className="text-ink">{foot.state === "stale" ? words.lastKnown(title) : title}</span>
      {foot.detail !== undefined && <span>· {told(words, foot.detail)}</span>}
      {seconds !== undefined && <span data-role="elapsed">· {duration(seconds, words.units, true)}</span>}
    </p>
  )
}

export function liveTitle({ asks, title, stage }: Live, words: Words): string {
  if (asks !== undefined) return words.waitingForYou(asks.length)
  return title === undefined ? words[stage] : told(words, title)
}

function DoneFoot({ foot }: { foot: Ended }) {
  return (
    <p className="meta mt-3 flex flex-wrap items-center gap-x-2" data-outcome={foot.state}>
      <State state={foot.state} />
      <Figures foot={foot} />
    </p>
  )
}

function FailedFoot({ foot, turn, isLast, onIntent, onDraft }: { foot: Ended } & Props) {
  const words = useWords()
  const { category = "", reason = "", next } = foot.outcome ?? {}
  const { text, turn_id } = turn
  const isFailure = foot.state === "failed"
  const cause = words.causes[category] ?? `${words.states.failed} · ${category}`
  const advice = foot.unsent ? undefined : (words.nextSteps[category] ?? next)
  const why = (foot.unsent ? words.problems[category] : undefined) ?? told(words, reason)
  const edit = () => {
    onDraft((draft) => [text, draft].filter(Boolean).join("\n"))
    onIntent({ control: "discard", turn_id })
  }
  return (
    <div
      className={`mt-3 border-l-2 pl-3 ${isFailure ? "border-bad" : "border-edge"}`}
      data-outcome={foot.state}
    >
      <p className="flex flex-wrap items-center gap-x-2">
        <span className={`flex items-center gap-1.5 font-medium ${isFailure ? "text-bad" : ""}`}>
          <State state={foot.state} quiet />
          {foot.unsent ? words.notSent : isFailure ? cause : words.states[foot.state]}
        </span>
        <span className="meta">
          <Figures foot={foot} />
        </span>
      </p>
      {category !== "runtime_restart" && <p className="text-meta">{why}</p>}
      {advice !== undefined && <p className="text-meta">{advice}</p>}
      {foot.unsent && (
        <p className="mt-2 flex gap-2">
          {category !== "too_large" && (
            <Button onClick={() => onIntent({ control: "retry", turn_id })}>{words.retry}</Button>
          )}
          <Button onClick={edit}>{words.edit}</Button>
          <Button look="bare" onClick={() => onIntent({ control: "discard", turn_id })}>
            {words.discard}
          </Button>
        </p>
      )}
      {!foot.unsent && isLast && text !== undefined && (
        <Button className="mt-2" onClick={() => onIntent({ control: "send", text })}>
          {words.again}
        </Button>
      )}
    </div>
  )
}

function Figures({ foot: { seconds, tokens } }: { foot: Ended }) {
  const words = useWords()
  const figures = [
    seconds !== undefined && duration(seconds, words.units),
    tokens !== undefined && words.tokens(count(tokens.input), count(tokens.output)),
  ]
  return figures.filter(Boolean).join(" · ")
}
