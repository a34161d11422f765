import type { MessageRow } from "@factum/agent-ui"
import { useWords } from "../i18n/words.ts"
import { Markdown } from "../ui/Markdown.tsx"
import { nameOf } from "../ui/Name.tsx"
import { Ago } from "../ui/Time.tsx"

/** What was said to a teammate and by it, oldest first. */
export function MessageLines({ label, messages }: { label: string; messages: readonly MessageRow[] }) {
  const words = useWords()
  const { team } = words
  return (
    <ol aria-label={label} className="flex flex-col gap-2">
      {messages.map((message) => (
        <li key={message.messageId} data-message={message.messageId} data-role={message.role}>
          <p className="meta flex flex-wrap items-baseline gap-x-1.5">
            <span className="font-medium">
              {message.role === "user" ? (message.author ?? team.you) : nameOf(words, message.who)}
            </span>
            {message.at !== undefined && <Ago time={message.at} />}
            {message.state === "streaming" && <span>{team.transcript.streaming}</span>}
          </p>
          {message.text.map(({ partId, blocks }) => (
            <Markdown key={partId} text={blocks.join("")} />
          ))}
          {message.text.length === 0 &&
            message.inputs.map((input, at) => (
              <p key={at} className="plain-text">
                {"text" in input && typeof input.text === "string" ? input.text : input.kind}
              </p>
            ))}
        </li>
      ))}
    </ol>
  )
}
