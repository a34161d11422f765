import type { SessionState } from "@factum/facts"
import { z } from "zod"

/** What a child session says about where it comes from; it stands in the metadata of its first fact. */
const Link = z.object({
  session_id: z.string(),
  thread_id: z.string(),
  turn_id: z.string(),
  tool_call_id: z.string(),
  subagent_id: z.string(),
  agent: z.string(),
  depth: z.int().min(1),
})
export type ParentLink = z.infer<typeof Link>

/** The parent of a child session, or nothing for a session of its own. */
export function parentOf({ entities }: SessionState): ParentLink | undefined {
  const [session] = Object.values(entities.sessions)
  const read = Link.safeParse(session?.metadata.parent)
  return read.success ? read.data : undefined
}

/** The session that a state is of. */
export const sessionIn = ({ entities }: SessionState): string => Object.keys(entities.sessions)[0] ?? ""

/** Where a session belongs, for example the folder that agents work in. */
export function workspaceIn({ entities }: SessionState): string | undefined {
  const [session] = Object.values(entities.sessions)
  const named = session?.metadata.workspace
  return typeof named === "string" ? named : undefined
}

export type Child = { subagent_id: string; session_id: string; thread_id: string; turn_id: string }

/** The ids of a child follow from the call that asked for it, so that the call finds it again after a restart. */
export function childOf(tool_call_id: string): Child {
  const own = tool_call_id.replace(/^tcl_/, "")
  return {
    subagent_id: `sub_${own}`,
    session_id: `ses_sub_${own}`,
    thread_id: `thr_sub_${own}`,
    turn_id: `trn_sub_${own}`,
  }
}
