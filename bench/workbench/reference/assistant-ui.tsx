import { useAISDKRuntime } from "@assistant-ui/ai-sdk"
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAuiState,
} from "@assistant-ui/react"
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown"
import type { UIMessage } from "ai"
import { memo } from "react"
import { createRoot } from "react-dom/client"
import remarkGfm from "remark-gfm"
import { history, useSession } from "./chat.ts"
import "./page.css"

/** A thread as assistant-ui's own templates put it together, also with what the browser need not lay out unseen. */
function Chat({ messages }: { messages: UIMessage[] }) {
  const runtime = useAISDKRuntime(useSession(messages))
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="page">
        <ThreadPrimitive.Viewport className="conversation scrolls" turnAnchor="top">
          <div className="messages">
            <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
          </div>
          <ThreadPrimitive.ViewportFooter className="footer">
            <ComposerPrimitive.Root>
              <ComposerPrimitive.Input rows={1} aria-label="Message" />
              <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
            </ComposerPrimitive.Root>
          </ThreadPrimitive.ViewportFooter>
        </ThreadPrimitive.Viewport>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

function Message() {
  const role = useAuiState(({ message }) => message.role)
  return (
    <MessagePrimitive.Root className="message unseen" data-role={role}>
      <MessagePrimitive.Parts>
        {({ part }) => {
          if (part.type === "text") return role === "user" ? <p>{part.text}</p> : <Markdown />
          if (part.type === "tool-call") return <Call name={part.toolName} state={part.status.type} />
          return null
        }}
      </MessagePrimitive.Parts>
    </MessagePrimitive.Root>
  )
}

const plugins = [remarkGfm]
const Markdown = memo(() => <MarkdownTextPrimitive remarkPlugins={plugins} />)

/** What it did is folded away. */
const Call = ({ name, state }: { name: string; state: string }) => (
  <button type="button" className="call" aria-expanded={false}>
    {name} <span>{state}</span>
  </button>
)

const root = document.getElementById("root")
if (root !== null) createRoot(root).render(<Chat messages={await history()} />)
