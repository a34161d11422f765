import { z } from "zod"
import { scopeText } from "../../policy/grants.ts"
import { defineTool, failed } from "./define.ts"

const usualMinutes = 30
const mostMinutes = 480

/** Asks for leave in advance, for one kind of operation and a limited time. */
export const requestPermission = defineTool({
  name: "request_permission",
  description:
    "Asks the person for leave to use a tool in one way for a limited time, instead of being asked at every call.",
  input: z.strictObject({
    tool: z
      .string()
      .regex(/^[\w.:-]{1,128}$/, "one tool, by its exact name")
      .describe("The tool, by its exact name."),
    match: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("Narrows it: a command such as `npm test *`, a path in the workspace, or a domain."),
    reason: z.string().min(1).max(2_000),
    minutes: z.int().min(1).max(mostMinutes).optional().describe(`${usualMinutes}, if not said.`),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["human"],
  touches: async () => [],
  asks({ tool, match, reason, minutes = usualMinutes }, { now }) {
    const scope = scopeText(tool, match)
    return {
      action_type: "permission_grant",
      title: `Allow ${scope} in this session for ${minutes} minutes?`,
      detail: reason,
      policy_scope: "session",
      grant: { scope, expires_at: new Date(now + minutes * 60_000).toISOString() },
      decisions: [
        { id: "allow", label: `Allow for ${minutes} minutes`, effect: "allow" },
        { id: "deny", label: "Deny", effect: "deny" },
      ],
    }
  },
  run: async () => failed("tool_error", "Nobody can be asked here."),
})
