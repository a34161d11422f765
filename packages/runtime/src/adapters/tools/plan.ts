import { z } from "zod"
import { defineTool, failed } from "./define.ts"

const longestShown = 8_000

/** The way out of plan mode: a person decides on the plan, and with it on the mode for the rest of the turn. */
export const presentPlan = defineTool({
  name: "present_plan",
  description:
    "Shows the person your plan and waits for the decision. In plan mode nothing may be changed before a plan is approved.",
  input: z.strictObject({
    title: z.string().min(1).max(200),
    plan: z.string().min(1).max(longestShown).describe("What you will do, step by step, as Markdown."),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["human", "plan_decision"],
  touches: async () => [],
  asks: ({ title, plan }) => ({
    action_type: "plan_decision",
    title,
    safe_input: { text: plan, whole: true },
    decisions: [
      { id: "approve", label: "Approve, and ask before changes", effect: "allow" },
      { id: "approve_edits", label: "Approve, and let files be edited", effect: "allow" },
      { id: "reject", label: "Not this plan", effect: "deny" },
    ],
  }),
  run: async () => failed("tool_error", "Nobody can be asked here."),
})
