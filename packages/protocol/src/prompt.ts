import { failureChoices, returnPolicies, sideEffects, visibilities } from "./action.ts"
import { type Carrier, carrierSchemas, type JsonSchema } from "./carriers/schemas.ts"
import type { Authority } from "./executor.ts"
import { priorityKinds } from "./extract.ts"
import { carrierName } from "./message.ts"

const callRules =
  "Work that does not depend on other work runs at the same time. `depends` is an id or a list of ids. `result` is summary (default), full, structured, on_failure, on_demand or adaptive."

/** What the native call takes, by the schema that it is offered with. */
const takenBy: Readonly<Record<Carrier, string>> = {
  flat: `with
   - \`{"kind":"act","message"?,"calls":[{"id","type":"tool"|"agent","name","args"?,"depends"?,"result"?,"title"?}]}\` to have work done.
   - \`{"kind":"answer","message"}\` to answer, or \`{"kind":"done","message"?}\` to end the turn.
   ${callRules}`,
  items: `with \`{"version":"2","title"?,"strategy"?,"items":[…]}\`, where an item is
   - \`{"kind":"tool"|"agent","id","name","args"?,"depends"?,"result"?,"title"?}\` to have work done,
   - \`{"kind":"input"|"confirm","id","message","depends"?}\` to ask the user,
   - \`{"kind":"answer","message"}\` to tell the user something, or \`{"kind":"done","message"?}\` to end the turn.
   ${callRules}`,
  dsl: "with the JSON of form 2 as its arguments, and sections in the text beside the call.",
}

const allowed = (carrier: Carrier) => `# Agent Protocol

You may declare work with the Agent Protocol. You say what is to be done; the runtime checks it, decides, executes it and tells you the results. Give at most one declaration in a response, in one of these forms.

1. A call of ${carrierName} ${takenBy[carrier]}
2. One fenced block whose info string is \`json agent-protocol\`, with
   \`{"type":"agent.protocol","version":"1","intent","persist"?,"title"?,"payload"}\`:
   - intent execute or plan, payload \`{"type":"action_graph","actions":[{"type":"action","id","title"?,"description"?,"reason"?,"operation"?,"executor"?:{"type","target"?,"capabilities"?},"input"?,"depends_on"?,"context_refs"?,"prompt_ref"?,"result_policy"?,"failure_policy"?}]}\` (more fields below), or \`{"type":"final_report_spec","title","sections":[{"heading","refs"}]}\`
   - intent revise, payload action_graph with the \`run_id\`; new actions may depend on and refer to completed ones
   - intent expand_ref, payload \`{"refs":[{"ref","reason"?,"range"?}]}\`
   - intent decide or cancel, payload \`{"type":"decision","run_id","action_id"?,"choice":"retry"|"continue"|"abort"}\`
   Long texts go into Markdown sections after the block; refer to them as \`md:<heading>\`. Other references are \`action:<id>.summary\`, \`action:<id>.output\`, \`input:user.goal\`, \`runtime://…\` and \`artifact:<name>\`. A section \`user.visible\` is shown to the user.
   More that an action may have: \`when\` (a condition: \`{"action","status":"completed"|"failed"|"canceled"|"blocked"}\` or \`{"action","field","equals"}\`), \`repeat\` (\`{"max","until"?:condition}\`), \`writes\` (names of what it changes), \`side_effects\` (${sideEffects.join(", ")}), \`idempotency\` (true, false, unknown), \`requires_approval\`, \`irreversible\`, \`privacy\`, \`persist\`, \`data_visibility\` (${visibilities.join(", ")}).
   \`result_policy\` is ${returnPolicies.join(", ")}, or \`{"return_to_model","priority"?:[…],"max_tokens"?,"store_full"?,"if_truncated"?:"provide_ref_and_summary"}\`; a priority is ${priorityKinds.join(", ")}. \`failure_policy\` is ${failureChoices.join(", ")}, or \`{"on_failure","max_retries"?}\`. \`range\` is \`{"around_matches":true,"context_lines"?}\`, \`{"match","context_lines"?}\`, or lines by \`from\` and \`to\`.
   More that the envelope may have: \`execution\` (\`{"mode"?:"durable"|"ephemeral","strategy"?:"dag"|"sequential"}\`), \`response_policy\` (\`{"result_granularity":"summary"|"structured"|"excerpt"|"full"}\`), \`permission_policy\` (\`{"requires_approval":[ids]}\`), \`approval_gates\` (ids), \`budget_policy\` (max_tokens, max_time_ms, max_cost, max_retries, max_parallel), \`cancellation_policy\` (drain, abort), \`conflict_resolution\` (order, refuse).

Ids consist of letters, digits, _ and -. The JSON must be strict and whole: it is never repaired. If anything in a declaration is wrong, nothing of it runs. Text without a declaration is your answer to the user.`

const denied = `# Agent Protocol

You may not declare work with the Agent Protocol. Text that looks like a declaration is shown as text and never executed. Answer in plain Markdown.`

/** What an agent is told, once, about whether and how it may declare work. */
export const protocolPrompt = ({ enabled }: Pick<Authority, "enabled">, carrier: Carrier = "flat"): string =>
  enabled ? allowed(carrier) : denied

export type ProtocolTool = { name: string; description: string; input_schema: JsonSchema }

/** The native call for a provider's list of tools: for agents that may use it, and for no others. */
export function protocolTools(
  { enabled }: Pick<Authority, "enabled">,
  carrier: Carrier = "flat",
): ProtocolTool[] {
  if (!enabled) return []
  const description =
    "Declares work for the runtime, answers the user or ends the turn. At most once in a response."
  return [{ name: carrierName, description, input_schema: carrierSchemas()[carrier] }]
}
