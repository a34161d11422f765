import { type Draft, open, report, track } from "../draft.ts"
import type { PlanEntity } from "../state.ts"
import { appendText, noText, textFrom } from "../text.ts"
import type { Reducers } from "./index.ts"
import { addRefPart } from "./message.ts"

function openPlan(draft: Draft, planId?: string): PlanEntity | undefined {
  const { event } = draft
  const id = planId ?? event.partId ?? event.messageId ?? event.turnId ?? event.runId
  if (id === undefined) return void report(draft, "missing_id", "It needs planId.")
  const isNew = !draft.state.plans.has(id)
  const plan = open(draft, "plans", id, (base) => ({
    ...base,
    planId: id,
    text: noText,
    steps: [],
    state: "streaming" as const,
  }))
  track(draft, "plan", id)
  if (isNew && event.messageId !== undefined) addRefPart(draft, "plan", id)
  return plan
}

export const planReducers: Reducers<"plan.delta" | "plan.final"> = {
  "plan.delta": (draft, { planId, delta, text, steps }) => {
    const plan = openPlan(draft, planId)
    if (!plan) return
    if (plan.state === "final")
      return report(draft, "late_delta", "It came after the end of its part.", plan.planId)
    plan.text = appendText(plan.text, delta ?? text ?? "", draft.edit)
    if (steps) {
      const known = new Map(plan.steps.map((step) => [step.id ?? step.title, step]))
      for (const step of steps) known.set(step.id ?? step.title, step)
      plan.steps = [...known.values()]
    }
  },
  "plan.final": (draft, { planId, text, steps }) => {
    const plan = openPlan(draft, planId)
    if (!plan) return
    plan.state = "final"
    if (text !== undefined) plan.text = textFrom(text)
    if (steps !== undefined) plan.steps = steps
  },
}
