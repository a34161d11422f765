import { useChat } from "@ai-sdk/react"
import { DefaultChatTransport, type UIMessage } from "ai"

/** As a page that keeps its history on the server: only what is new is sent. */
const transport = new DefaultChatTransport<UIMessage>({
  api: "/chat",
  prepareSendMessagesRequest: ({ messages }) => ({ body: { messages: messages.slice(-1) } }),
})

/** Published at most every 50 ms, as its documentation says against updates that are too many. */
export const useSession = (messages: UIMessage[]) => useChat({ messages, transport, throttle: 50 })

export async function history(): Promise<UIMessage[]> {
  const response = await fetch("/messages")
  return response.json()
}
