import type { TeammateTranscriptView, ToolRow } from "@factum/agent-ui"
import { memo, useEffect, useRef } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { ActOn, said } from "../ui/ActOn.tsx"
import { Facts } from "../ui/Facts.tsx"
import { duration } from "../ui/measures.ts"
import { Name, nameOf } from "../ui/Name.tsx"
import { SayBox } from "../ui/SayBox.tsx"
import { State } from "../ui/State.tsx"
import { Status } from "../ui/Status.tsx"
import { SurfacePanel } from "../ui/SurfacePanel.tsx"
import { stateWord } from "../ui/status.ts"
import { MessageLines } from "./MessageLines.tsx"
import type { SurfaceProps } from "./props.ts"

/** A zoom into one teammate: what was said, what it does, what waits for it, and a box to go on. */
export const TeammateTranscript = memo(function TeammateTranscript({
  view,
  onIntent,
}: SurfaceProps<TeammateTranscriptView>) {
  const words = useWords()
  const { team } = words
  const { who, sessionId, messages, tools, pendingInput, earlier } = view
  const has = messages.length + tools.length + pendingInput.length > 0
  const agentId = who?.agentId
  const canRead = view.controls.some(({ control, enabled }) => control === "open_detail" && enabled)
  const asked = useRef<string>(undefined)
  // Opening it is what loads it: nothing is read for a transcript that nobody looks at.
  useEffect(() => {
    if (!canRead || sessionId === undefined || asked.current === sessionId) return
    asked.current = sessionId
    onIntent({ control: "open_detail", target: { kind: "transcript", id: sessionId, sessionId } })
  }, [canRead, sessionId, onIntent])
  return (
    <SurfacePanel
      view={view}
      has={has}
      actions={
        who && (
          <span className="flex items-center gap-1.5">
            {view.status !== undefined && <Status status={view.status} />}
            <Name who={who} />
          </span>
        )
      }
    >
      <div className="flex flex-col gap-3 px-3 pb-3">
        <Facts
          facts={[
            [team.fields.task, view.taskId],
            [team.fields.session, sessionId],
            [team.fields.thread, view.threadId],
            [team.fields.parentSession, view.parentSessionId],
            [team.fields.transcript, view.transcriptRef],
          ]}
        />
        {earlier > 0 && <p className="meta">{team.transcript.earlier(earlier)}</p>}
        {messages.length > 0 && <MessageLines label={team.transcript.messages} messages={messages} />}
        {tools.length > 0 && (
          <div data-part="tools">
            <h3 className="meta font-medium">{team.transcript.tools}</h3>
            <ul className="flex flex-col">
              {tools.map((tool) => (
                <ToolLine key={tool.toolCallId} tool={tool} />
              ))}
            </ul>
          </div>
        )}
        {pendingInput.length > 0 && (
          <div data-part="pending">
            <h3 className="meta font-medium">{team.transcript.pending}</h3>
            <ol className="flex flex-col">
              {pendingInput.map(({ queuedTurnId, preview, status }) => (
                <li key={queuedTurnId} className="flex items-start gap-2">
                  <span className="mt-[3px] flex">
                    <Status status={status ?? "unknown"} quiet />
                  </span>
                  <span className="min-w-0 break-words">{preview ?? queuedTurnId}</span>
                </li>
              ))}
            </ol>
          </div>
        )}
        <ActOn
          key={agentId}
          offered={view.controls}
          name={nameOf(words, who)}
          onIntent={onIntent}
          opened="continue_agent"
          {...(agentId !== undefined && {
            makes: {
              stop: { control: "stop", target: { kind: "agent", id: agentId } },
              ...(sessionId !== undefined && {
                open_detail: {
                  control: "open_detail",
                  target: { kind: "transcript", id: sessionId, sessionId },
                },
              }),
            },
            asks: {
              continue_agent: () => (
                <SayBox
                  focused={false}
                  label={team.continueHint(nameOf(words, who))}
                  onSay={(text) => onIntent({ control: "continue_agent", agentId, inputs: said(text) })}
                />
              ),
            },
          })}
        />
      </div>
    </SurfacePanel>
  )
})

function ToolLine({ tool }: { tool: ToolRow }) {
  const words = useWords()
  const { durationMs } = tool
  const title = tool.title ?? (tool.toolName === "unknown" ? tool.toolCallId : tool.toolName)
  return (
    <li className="flex items-start gap-2 py-0.5" data-tool={tool.toolCallId}>
      <span className="mt-[3px] flex">
        <State state={stateWord(tool.status)} said={wordOf(words.catalog.tool, tool.status)} quiet />
      </span>
      <span className="min-w-0 flex-1 break-words">
        {title}
        {tool.failure?.message !== undefined && <span className="meta block">{tool.failure.message}</span>}
      </span>
      <span className="meta shrink-0">
        {typeof durationMs === "number" ? duration(durationMs / 1000, words.units) : ""}
      </span>
    </li>
  )
}
