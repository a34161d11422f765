import type { Intent } from "@factum/agent-ui"
import { newId, type Pending } from "@factum/client"
import { type ComponentProps, type RefObject, useCallback, useMemo } from "react"
import { usePage, useShell, useSurface } from "../client/page.ts"
import { inputsIn } from "../client/ports.ts"
import { joined, keepDraft, storedDraft } from "../client/settings.ts"
import { useWords } from "../i18n/words.ts"
import { Composer, type Draft } from "../surfaces/Composer.tsx"
import { Conversation } from "../surfaces/Conversation.tsx"
import { Welcome } from "../surfaces/Welcome.tsx"
import { Fallback } from "../ui/Fallback.tsx"
import { Guard } from "../ui/Guard.tsx"
import { addressOf, linkTo } from "./address.ts"

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER }
/** Names no session, so that a page without one shows the facts of none. */
const none = { sessionId: "" }

/** The conversation of the open session, with its process, and the place to write. */
export function Talk({ draft }: { draft: RefObject<Draft | null> }) {
  const words = useWords()
  const page = usePage()
  const { place, pending: all, unreadable } = useShell()
  const { session } = place
  const scope = session === undefined ? none : {}
  const mine = useMemo(() => all.filter(({ input }) => input.session_id === session), [all, session])
  const isCreating = session === undefined && mine.some(({ refusal }) => refusal === undefined)
  const upload = useCallback((file: Blob) => page.client.upload(file), [page])
  const onIntent = useCallback(
    async (intent: Intent) => {
      const result = await page.intent(intent)
      if (result.status === "sent" || !isWritten(intent) || page.keeps(intent.clientId)) return result
      // Nobody took the words: they go back to where they were written, if the person is still there.
      const { inputs, sessionId: at } = intent
      if (page.shell().place.session === at && draft.current !== null)
        draft.current.giveBack(inputs, "mode" in intent ? intent.mode : undefined)
      else keepDraft(at ?? "", joined(inputs, storedDraft(at ?? "")))
      return result
    },
    [page, draft],
  )
  if (unreadable !== undefined) return <Unreadable message={unreadable.message} />
  return (
    <>
      <Guard name={words.catalog.surface.conversation}>
        <Thread scope={scope} pending={mine} draft={draft} />
      </Guard>
      <Guard name={words.catalog.surface.composer}>
        <Writing
          scope={scope}
          ref={draft}
          sessionId={session}
          pending={mine}
          isCreating={isCreating}
          upload={upload}
          onIntent={onIntent}
          onPromote={page.promote}
          inputsOf={page.inputsOf}
        />
      </Guard>
    </>
  )
}

type WritingProps = Omit<ComponentProps<typeof Composer>, "view"> & { scope: ThreadProps["scope"] }

function Writing({ scope, ...props }: WritingProps) {
  return <Composer view={useSurface("composer", scope)} {...props} />
}

type Written = Extract<Intent, { control: "send" | "queue" | "steer" }>
const isWritten = (intent: Intent): intent is Written =>
  intent.control === "send" || intent.control === "queue" || intent.control === "steer"

type ThreadProps = {
  scope: { sessionId?: string }
  pending: readonly Pending[]
  draft: RefObject<Draft | null>
}

function Thread({ scope, pending, draft }: ThreadProps) {
  const words = useWords()
  const page = usePage()
  const conversation = useSurface("conversation", { ...scope, window: everything })
  const process = useSurface("inline_process", scope)
  const status = useSurface("runtime_status", scope)
  const hitl = useSurface("hitl", scope)
  const onEdit = useCallback(
    (one: Pending) => {
      const mode = one.input.options?.mode
      draft.current?.giveBack(inputsIn(one), typeof mode === "string" ? mode : undefined)
      draft.current?.focus()
      page.discard(one.turn_id)
    },
    [page, draft],
  )
  const { place, demonstrations } = useShell()
  const { session, at } = place
  const onDemo = useCallback(
    (text: string) =>
      void page.intent({ control: "send", inputs: [{ kind: "text", text }], clientId: newId("trn") }),
    [page],
  )
  const link = useCallback(
    (named: string) => linkTo({ ...(session !== undefined && { session }), at: named }),
    [session],
  )
  const empty =
    scope.sessionId === undefined ? (
      <Fallback state="empty" title={words.catalog.empty.conversation} reason={words.talk.quietBody} />
    ) : (
      <Welcome hasDemos={demonstrations} onDemo={onDemo} />
    )
  return (
    <Conversation
      view={conversation}
      process={process}
      status={status}
      hitl={hitl}
      pending={pending}
      empty={empty}
      named={at}
      linkTo={session === undefined ? undefined : link}
      onIntent={page.intent}
      onEarlier={page.loadEarlier}
      onResend={page.resend}
      onEdit={onEdit}
      onDiscard={page.discard}
    />
  )
}

function Unreadable({ message }: { message: string }) {
  const words = useWords()
  return (
    <section
      aria-label={words.catalog.surface.conversation}
      className="px-6 pt-[18vh]"
      data-fallback="unavailable"
    >
      <div className="mx-auto max-w-3xl">
        <h1 className="text-xl font-semibold">{words.unreadableTitle}</h1>
        <p className="text-meta mt-2">{message}</p>
        <a href={addressOf({})} className="text-accent mt-4 inline-block underline">
          {words.newSession}
        </a>
      </div>
    </section>
  )
}
