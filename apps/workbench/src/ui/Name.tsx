import type { Who } from "@factum/agent-ui"
import { useWords, type Words } from "../i18n/words.ts"

/** What a teammate is called; one whose name was not told goes by its id. */
export function nameOf({ team }: Words, who: Who | "unknown" | "unavailable" | undefined): string {
  if (who === undefined || typeof who === "string") return team.notReported
  if (who.name !== "unknown" && who.name !== "unavailable") return who.name
  return who.agentId ?? who.taskId ?? who.threadId ?? who.sessionId ?? team.unnamed
}

export function Name({ who }: { who: Who | "unknown" | "unavailable" | undefined }) {
  const words = useWords()
  const name = nameOf(words, who)
  if (who === undefined || typeof who === "string") return <span className="text-meta italic">{name}</span>
  return (
    <span className="min-w-0" data-who={who.key}>
      <span className="font-medium break-words">{name}</span>
      {who.human && <Tag>{words.team.person}</Tag>}
      {who.remote && <Tag>{words.team.remoteMark}</Tag>}
    </span>
  )
}

export function Tag({ children }: { children: string }) {
  return (
    <span className="border-line meta ml-1.5 inline-block rounded border px-1 whitespace-nowrap">
      {children}
    </span>
  )
}
