import type { ActionCard, ControlView, Intent } from "@factum/agent-ui"

/** A way to answer a card: the control that carries it, and the owner's own option where it gave one. */
export type Decision = {
  key: string
  control: "approve" | "reject" | "answer" | "edit"
  option?: string
  label?: string
  enabled: boolean
  reason?: ControlView["reason"]
}

const rejecting = ["reject", "deny", "decline", "refuse", "rejected", "no"]
const editing = ["edit", "request_edits", "request_changes", "revise"]

/** What can be decided: the owner's options in its order; the controls' own where it gave none. */
export function decisionsOf({ options, controls, schema }: ActionCard): Decision[] {
  const of = (control: Decision["control"]) => controls.find((one) => one.control === control)
  const standing = (control: Decision["control"]) => {
    const { enabled = true, reason } = of(control) ?? controls[0] ?? {}
    return { enabled, ...(reason && { reason }) }
  }
  if (options.length === 0) {
    return controls.flatMap(({ control }) =>
      isDeciding(control) ? [{ key: control, control, ...standing(control) }] : [],
    )
  }
  const answers = schema !== undefined || of("approve") === undefined
  return options.map(({ id, label, description = "" }) => {
    const control =
      rejecting.includes(id) || rejecting.includes(description)
        ? "reject"
        : editing.includes(id)
          ? "edit"
          : answers
            ? "answer"
            : "approve"
    return { key: id, control, option: id, ...(label !== undefined && { label }), ...standing(control) }
  })
}

const isDeciding = (control: string): control is Decision["control"] =>
  ["approve", "reject", "answer", "edit"].includes(control)

export type Given = { data?: Record<string, unknown>; secret?: string; note?: string }

export function intentOf(actionId: string, { control, option }: Decision, given: Given): Intent {
  const { data, secret, note } = given
  const said = { actionId, ...(note !== undefined && { note }) }
  const chosen = option === undefined ? {} : { option }
  if (control === "edit") return { control, ...said, data: data ?? {} }
  if (control !== "answer") return { control, ...said, ...chosen }
  return { control, ...said, ...chosen, ...(data && { data }), ...(secret !== undefined && { secret }) }
}
