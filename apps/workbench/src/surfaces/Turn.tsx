import { memo } from "react"
import { type TurnFoot, turnFoot } from "../client/foot.ts"
import type { Part, RequestView, TurnView } from "../client/project.ts"
import type { Intent } from "../client/store.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { State } from "./State.tsx"

export const Turn = memo(function Turn(props: { turn: TurnView; onIntent: (intent: Intent) => void }) {
  const { turn, onIntent } = props
  const words = useWords()
  return (
    <article
      data-turn={turn.turn_id}
      data-status={turn.status}
      className="border-line border-b py-3 last:border-b-0"
    >
      <p className="meta">{words.you}</p>
      <p data-role="user" className={`plain-text ${turn.text === undefined ? "text-meta" : "font-medium"}`}>
        {turn.text ?? words.textOutside}
      </p>
      {turn.requests.map((request) => (
        <Request key={request.request_id} request={request} />
      ))}
      <Foot foot={turnFoot(turn)} />
      {turn.status === "unsent" && (
        <p className="mt-1 flex gap-2">
          <Button onClick={() => onIntent({ control: "retry", turn_id: turn.turn_id })}>{words.retry}</Button>
          <Button look="bare" onClick={() => onIntent({ control: "discard", turn_id: turn.turn_id })}>
            {words.discard}
          </Button>
        </p>
      )}
    </article>
  )
})

const Request = memo(function Request({ request }: { request: RequestView }) {
  const words = useWords()
  return (
    <>
      {request.parts.map((part) => (
        <PartOf key={part.key} part={part} />
      ))}
      {request.failure !== undefined && request.parts.length > 0 && (
        <p className="meta mt-1">
          {words.partial} · <code>{request.failure.category}</code>
        </p>
      )}
    </>
  )
})

const PartOf = memo(function PartOf({ part }: { part: Part }) {
  const words = useWords()
  if (part.kind === "text" || part.kind === "structured") {
    const font = part.kind === "structured" ? "font-mono text-[13px]" : ""
    return (
      <p data-part={part.kind} className={`plain-text mt-2 ${font}`}>
        {part.text}
      </p>
    )
  }
  const title =
    part.kind === "reasoning" ? words.reasoning : words.toolCall(part.tool ?? words.states.unknown)
  return (
    <details data-part={part.kind} className="mt-2">
      <summary className="meta cursor-pointer">{title}</summary>
      <p
        className={`plain-text border-line text-meta mt-1 border-l-2 pl-3 ${part.kind === "tool_call" ? "font-mono text-[13px]" : ""}`}
      >
        {part.text}
      </p>
    </details>
  )
})

function Foot({ foot }: { foot: TurnFoot }) {
  const words = useWords()
  if (foot.kind === "live") {
    return (
      <p role="status" className="meta mt-2 flex flex-wrap items-baseline gap-x-2">
        <State state={foot.state} quiet />
        <span>{foot.title ?? words[foot.fallback]}</span>
        {foot.detail !== undefined && <span>{foot.detail}</span>}
      </p>
    )
  }
  return (
    <p className="meta mt-2 flex flex-wrap items-baseline gap-x-2" data-outcome={foot.state}>
      {foot.unsent ? <span className="text-bad">✕ {words.notSent}</span> : <State state={foot.state} />}
      {foot.category !== undefined && <code>{foot.category}</code>}
      {foot.reason !== undefined && <span className="text-ink">{foot.reason}</span>}
      {foot.seconds !== undefined && <span>{words.took(foot.seconds)}</span>}
      {foot.next !== undefined && <span>{foot.next}</span>}
    </p>
  )
}
