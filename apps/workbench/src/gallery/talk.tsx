import type { ComposerView, ConversationView, SessionTabsView } from "@factum/agent-ui"
import { createContext, useContext } from "react"
import { useWords } from "../i18n/words.ts"
import { Composer } from "../surfaces/Composer.tsx"
import { Conversation } from "../surfaces/Conversation.tsx"
import type { SurfaceProps } from "../surfaces/props.ts"
import { SessionTabs } from "../surfaces/SessionTabs.tsx"
import { Fallback } from "../ui/Fallback.tsx"
import type { Staging } from "./stage.ts"

/** What stands beside the surface that is shown, for those that draw more than their own view. */
export const StageContext = createContext<Staging | undefined>(undefined)

function useStage(): Staging {
  const staging = useContext(StageContext)
  if (staging === undefined) throw new Error("An exhibit stands outside of the gallery.")
  return staging
}

const nothing = () => undefined

/** The composer, whose attachments the gallery keeps nowhere. */
export function ShownComposer({ view, onIntent }: SurfaceProps<ComposerView>) {
  const { sessionId } = useStage()
  return (
    <Composer
      view={view}
      sessionId={sessionId}
      pending={[]}
      isCreating={false}
      upload={notKept}
      onIntent={onIntent}
      onPromote={nothing}
    />
  )
}

const notKept = async () =>
  ({ ok: false, refusal: { code: "unreachable", message: "The gallery keeps no files." } }) as const

export function ShownConversation({ view, onIntent }: SurfaceProps<ConversationView>) {
  const words = useWords()
  const { beside } = useStage()
  const { state, reason } = view
  const standing = state === "ready" ? "empty" : state
  return (
    <Conversation
      view={view}
      process={beside("inline_process")}
      status={beside("runtime_status")}
      hitl={beside("hitl")}
      pending={[]}
      empty={
        <Fallback
          state={standing}
          title={standing === "empty" ? words.catalog.empty.conversation : words.catalog.state[standing]}
          reason={reason && words.catalog.reason[reason]}
        />
      }
      onIntent={onIntent}
      onEarlier={async () => undefined}
      onResend={nothing}
      onEdit={nothing}
      onDiscard={nothing}
    />
  )
}

export function ShownTabs({ view }: SurfaceProps<SessionTabsView>) {
  const { sessionId } = useStage()
  return (
    <header className="flex">
      <SessionTabs view={view} open={sessionId} onPin={nothing} />
    </header>
  )
}
