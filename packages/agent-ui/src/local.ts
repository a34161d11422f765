import { addFinding } from "./draft.ts"
import { given } from "./given.ts"
import { draftOf } from "./reduce.ts"
import type { AgentUiState, LocalState } from "./state.ts"
import { removeFrom, setIn } from "./table.ts"

/** What a person does to this client alone. No fact changes by it, and it goes nowhere. */
export type LocalAction = (
  | { kind: "expand"; id: string; where: "inline" | "timeline" }
  | { kind: "collapse"; id: string }
  | { kind: "select_session"; id?: string }
  | { kind: "select_artifact"; id?: string }
  | { kind: "select_agent"; id?: string }
  | { kind: "show_reasoning"; shown: boolean }
  | { kind: "draft"; id: string; text: string }
  /** Without a text the edit is let go. `base` is the version that it was made from. */
  | { kind: "edit_artifact"; id: string; text?: string; base?: string }
  /** The owner has this text as this version. What was typed since stays, as an edit of it. */
  | { kind: "edit_saved"; id: string; text: string; version?: string }
) & { owner?: string }

/** Applies a local action; one that claims to be a fact of somebody else is refused. */
export function changeLocal(state: AgentUiState, action: LocalAction): AgentUiState {
  if (action.owner !== undefined && action.owner !== "ui_projection") {
    const message = "This owner may not say so."
    return draftOf(state, (draft) => addFinding(draft, { code: "owner_refused", message, type: action.kind }))
  }
  const local = localAfter(state.local, action)
  return local === state.local ? state : { ...state, revision: state.revision + 1, local }
}

function localAfter(local: LocalState, action: LocalAction): LocalState {
  const edit = new Set<object>()
  switch (action.kind) {
    case "expand":
      // One fact is open in one place.
      return {
        ...local,
        expanded: setIn(local.expanded, action.id, action.where, edit),
        collapsed: removeFrom(local.collapsed, action.id, edit),
      }
    case "collapse":
      return {
        ...local,
        expanded: removeFrom(local.expanded, action.id, edit),
        collapsed: setIn(local.collapsed, action.id, true, edit),
      }
    case "select_session":
      if (action.id === local.activeSessionId) return local
      return { ...selected(local, "activeSessionId", action.id), activation: local.activation + 1 }
    case "select_artifact":
      return selected(local, "selectedArtifactId", action.id)
    case "select_agent":
      return selected(local, "selectedAgentId", action.id)
    case "show_reasoning":
      return { ...local, showReasoningDetail: action.shown }
    case "draft":
      return { ...local, drafts: setIn(local.drafts, action.id, action.text, edit) }
    case "edit_artifact":
      return { ...local, edits: editsAfter(local.edits, action, edit) }
    case "edit_saved": {
      const { id, text, version } = action
      const known = local.edits.get(id)
      if (known === undefined) return local
      const since = { ...known, ...given({ base: version }) }
      const isWhole = known.text === text
      return {
        ...local,
        edits: isWhole ? removeFrom(local.edits, id, edit) : setIn(local.edits, id, since, edit),
      }
    }
  }
}

type EditAction = Extract<LocalAction, { kind: "edit_artifact" }>
function editsAfter(edits: LocalState["edits"], action: EditAction, edit: Set<object>): LocalState["edits"] {
  const { id, text, base } = action
  if (text === undefined) return removeFrom(edits, id, edit)
  return setIn(edits, id, base === undefined ? { text } : { text, base }, edit)
}

type Selection = "activeSessionId" | "selectedArtifactId" | "selectedAgentId"
function selected(local: LocalState, name: Selection, id: string | undefined): LocalState {
  const { [name]: _, ...rest } = local
  return id === undefined ? rest : { ...rest, [name]: id }
}
