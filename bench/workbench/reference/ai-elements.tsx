import type { UIMessage } from "ai"
import { type ComponentProps, memo, useState } from "react"
import { createRoot } from "react-dom/client"
import { Streamdown } from "streamdown"
import { StickToBottom } from "use-stick-to-bottom"
import { history, useSession } from "./chat.ts"
import "./page.css"

/**
 * A chat as the AI Elements are put together: every message in a list that sticks to its end, each text by Streamdown
 * in a component that is memoised by its text. Without highlighting, mathematics and diagrams, which ours has not
 * either; and it stands at the end at once instead of scrolling there.
 */
function Chat({ messages: known }: { messages: UIMessage[] }) {
  const { messages, sendMessage, status } = useSession(known)
  const [input, setInput] = useState("")
  const send = () => {
    void sendMessage({ text: input })
    setInput("")
  }
  return (
    <div className="page">
      <StickToBottom className="conversation" initial="instant" resize="smooth" role="log">
        <StickToBottom.Content className="messages">
          {messages.map((message) => (
            <div key={message.id} className="message" data-role={message.role}>
              {message.parts.map((part, at) => (
                <Part key={`${message.id}-${at}`} part={part} />
              ))}
            </div>
          ))}
        </StickToBottom.Content>
      </StickToBottom>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          aria-label="Message"
          value={input}
          onChange={(event) => setInput(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return
            event.preventDefault()
            send()
          }}
        />
        <button type="submit" disabled={input === ""}>
          {status === "ready" ? "Send" : "Stop"}
        </button>
      </form>
    </div>
  )
}

function Part({ part }: { part: UIMessage["parts"][number] }) {
  if (part.type === "text") return <Response>{part.text}</Response>
  if ("toolCallId" in part) return <Call name={part.type.slice("tool-".length)} state={part.state} />
  return null
}

const Response = memo(
  (props: ComponentProps<typeof Streamdown>) => <Streamdown {...props} />,
  (before, next) => before.children === next.children,
)

/** What it did is folded away. */
const Call = ({ name, state }: { name: string; state: string }) => (
  <button type="button" className="call" aria-expanded={false}>
    {name} <span>{state}</span>
  </button>
)

const root = document.getElementById("root")
if (root !== null) createRoot(root).render(<Chat messages={await history()} />)
