import type { ContextNote as Note } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { count } from "../ui/measures.ts"

/** What the model was given, and what was missing of it. */
export function ContextNote({ note }: { note: Note }) {
  const words = useWords()
  const { budget, selected, retrieved, missing, memory, warnings } = note
  const figures = [
    budget?.used !== undefined &&
      budget.limit !== undefined &&
      words.context(count(budget.used), count(budget.limit)),
    selected > 0 && words.talk.contextSelected(selected),
    retrieved.length > 0 && words.talk.contextFound(retrieved.length),
    missing.length > 0 && words.talk.contextMissing(missing.length),
  ].filter(Boolean)
  return (
    <div className="text-[13px]">
      <p>{figures.join(" · ")}</p>
      <ul>
        {missing.map(({ id, reason }) => (
          <li key={id}>
            {id}
            {reason !== undefined && ` · ${reason}`}
          </li>
        ))}
        {retrieved.map(({ sourceId, citation }) => (
          <li key={sourceId}>{citation ?? sourceId}</li>
        ))}
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
      {memory !== undefined && (
        <p>
          {words.talk.memory}
          {memory.summary !== undefined && `: ${memory.summary}`}
        </p>
      )}
    </div>
  )
}
