import { chainOf } from "../chain.ts"
import { change, type Draft, entryKey, remove } from "../draft.ts"
import type { MessageEntity, RunEntity } from "../state.ts"
import { removeFrom } from "../table.ts"
import { ownList } from "../vector.ts"
import { isAsking } from "../words.ts"
import { dropMessage } from "./message.ts"

/** What the end of a run means for what it left open. It decides no outcome but its own. */
export function endRun(draft: Draft, run: RunEntity): void {
  run.ended = true
  if (draft.event.timestamp !== undefined) run.endedAt = draft.event.timestamp
  for (const messageId of run.messageIds) {
    const message = change(draft, "messages", messageId)
    if (message) closeParts(draft, message)
  }
  for (const entry of run.process) {
    if (entry.kind === "tool" && run.outcome === "cancelled") cancelTool(draft, entry.id)
    if (entry.kind === "action") endAction(draft, entry.id)
  }
  dropEphemeral(draft, run)
}

function closeParts(draft: Draft, message: MessageEntity): void {
  if (!message.parts.some((part) => "state" in part && part.state === "streaming")) return
  const parts = ownList(message.parts, draft.edit)
  message.parts = parts
  for (const [at, part] of parts.entries()) {
    if (part.kind === "text" && part.state === "streaming")
      parts[at] = { ...part, state: "final", marker: "unfinished" }
    if (part.kind === "reasoning" && part.state === "streaming") parts[at] = { ...part, state: "final" }
  }
}

function cancelTool(draft: Draft, id: string): void {
  const status = draft.state.tools.get(id)?.status
  if (status === undefined || isSettled(status)) return
  const tool = change(draft, "tools", id)
  if (tool) tool.status = "cancelled"
}

export const isSettled = (status: string) =>
  status === "output-available" || status === "output-error" || status === "cancelled"

function endAction(draft: Draft, id: string): void {
  if (!isAsking(draft.state.actions.get(id)?.state ?? "")) return
  const action = change(draft, "actions", id)
  if (action) action.state = "ended"
}

function dropEphemeral(draft: Draft, run: RunEntity): void {
  const gone = new Set<string>()
  for (const { table, id } of run.ephemeral) {
    if (draft.state[table].get(id)?.origin.persistence !== "ephemeral_live") continue
    if (table === "messages") dropMessage(draft, id)
    else remove(draft, table, id)
    gone.add(id)
  }
  run.ephemeral = []
  if (gone.size === 0) return
  for (const entry of run.process)
    if (gone.has(entry.id)) run.told = removeFrom(run.told, entryKey(entry), draft.edit)
  run.process = chainOf([...run.process].filter((entry) => !gone.has(entry.id)))
}
