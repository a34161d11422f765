import { action, flat, type Given } from "./given.ts"

export const userRequest = "当前插件各个按钮点了都没效果,你进行一次 code review,定位问题,然后修复"

/** The run behind the specification's first transcript. */
export const inspection: Given = {
  run_id: "apr_abc123",
  title: "Inspect extension wiring",
  actions: [flat("read_extension", "tool", "read", { input: { filePath: "src/extension/extension.ts" } })],
  ended: {
    read_extension: {
      content: "extension.ts registers the custom editor provider and command handlers.",
      refs: ["artifact://call_read_extension"],
    },
  },
}

export const inspectionTranscript = `<turn index="1">
## User request

当前插件各个按钮点了都没效果,你进行一次 code review,定位问题,然后修复
</turn>

<turn index="2">
## Assistant protocol request and runtime observations

run_id: \`apr_abc123\`
Purpose: Inspect extension wiring
Status: completed

### Call read_extension

Tool: \`read\`

\`\`\`shell
tool read <<'JSON'
{
  "filePath": "src/extension/extension.ts"
}
JSON
\`\`\`

### Result for read_extension

Status: completed
Artifacts: artifact://call_read_extension

\`\`\`md
extension.ts registers the custom editor provider and command handlers.
\`\`\`
</turn>

Based on all turns above, decide the next step.
Strictly follow the Agent Protocol output requirements for this request.`

const prompts = {
  inspect_code: "Locate toolbar-related components, composables, styles, editor integration, and tests.",
  review_toolbar:
    "Review each toolbar button. Check click handlers, selection behavior, focus behavior, undo/redo state, dropdown z-index, and test coverage. Return findings with severity and evidence.",
}

export const found = {
  inspect_code:
    "Found Toolbar.vue, ToolbarButton.vue, toolbarConfig.ts, useToolbar.ts, useEditor.ts, and related tests.",
  review_toolbar:
    "Found two issues: undo/redo state is not wired through, and the table dropdown can be hidden by a higher layer.",
}

/** The specification's full declaration, verbatim. */
export const toolbarSource = `\`\`\`json agent-protocol
{
  "type": "agent.protocol",
  "version": "1",
  "intent": "execute",
  "persist": false,
  "title": "Toolbar Button Review",
  "payload": {
    "type": "action_graph",
    "actions": [
      {
        "type": "action",
        "id": "inspect_code",
        "title": "Inspect Code",
        "description": "Find toolbar components, editor integration, styles, and tests.",
        "reason": "Review needs source locations before judging behavior.",
        "operation": "inspect_sources",
        "executor": {
          "type": "tool",
          "target": "auto",
          "capabilities": ["filesystem", "search"]
        },
        "prompt_ref": "md:inspect_code.prompt",
        "result_policy": {
          "return_to_model": "summary",
          "store_full": true
        }
      },
      {
        "type": "action",
        "id": "review_toolbar",
        "title": "Review Toolbar",
        "description": "Review toolbar button behavior, display layering, focus, undo/redo, and selection edge cases.",
        "reason": "This is the main user-requested review.",
        "operation": "review_code",
        "executor": {
          "type": "agent",
          "target": "auto",
          "capabilities": ["code_review", "frontend"]
        },
        "depends_on": ["inspect_code"],
        "context_refs": ["action:inspect_code.summary"],
        "prompt_ref": "md:review_toolbar.prompt",
        "result_policy": {
          "return_to_model": "structured",
          "store_full": true
        }
      }
    ]
  }
}
\`\`\`

## inspect_code.prompt

Locate toolbar-related components, composables, styles, editor integration, and tests.

## review_toolbar.prompt

Review each toolbar button. Check click handlers, selection behavior, focus behavior, undo/redo state, dropdown z-index, and test coverage. Return findings with severity and evidence.`

/** The run behind the specification's second transcript and its result record. */
export const toolbar: Given = {
  run_id: "run_123",
  title: "Toolbar Button Review",
  source: toolbarSource,
  sections: [
    {
      id: "inspect_code.prompt",
      heading: "inspect_code.prompt",
      level: 2,
      text: prompts.inspect_code,
    },
    {
      id: "review_toolbar.prompt",
      heading: "review_toolbar.prompt",
      level: 2,
      text: prompts.review_toolbar,
    },
  ],
  actions: [
    action("inspect_code", {
      title: "Inspect Code",
      description: "Find toolbar components, editor integration, styles, and tests.",
      reason: "Review needs source locations before judging behavior.",
      operation: "inspect_sources",
      executor: { type: "tool", target: "auto", capabilities: ["filesystem", "search"] },
      prompt_ref: "md:inspect_code.prompt",
    }),
    action("review_toolbar", {
      title: "Review Toolbar",
      description: "Review toolbar button behavior, display layering, focus, undo/redo, and edge cases.",
      reason: "This is the main user-requested review.",
      operation: "review_code",
      executor: { type: "agent", target: "auto", capabilities: ["code_review", "frontend"] },
      depends_on: ["inspect_code"],
      context_refs: ["action:inspect_code.summary"],
      prompt_ref: "md:review_toolbar.prompt",
    }),
  ],
  ended: {
    inspect_code: { content: found.inspect_code, refs: ["artifact://run_123/inspect_code"] },
    review_toolbar: { content: found.review_toolbar, refs: ["artifact://run_123/review_toolbar"] },
  },
}

export const toolbarTurn = `<turn index="2">
## Assistant protocol request and runtime observations

run_id: \`run_123\`
Purpose: Toolbar Button Review
Status: completed

### Call inspect_code

Executor: \`tool:auto\`
Operation: \`inspect_sources\`

### Result for inspect_code

Status: completed
Artifacts: artifact://run_123/inspect_code

\`\`\`md
Found Toolbar.vue, ToolbarButton.vue, toolbarConfig.ts, useToolbar.ts, useEditor.ts, and related tests.
\`\`\`

### Call review_toolbar

Executor: \`agent:auto\`
Operation: \`review_code\`
Depends: \`inspect_code\`

### Result for review_toolbar

Status: completed
Artifacts: artifact://run_123/review_toolbar

\`\`\`md
Found two issues: undo/redo state is not wired through, and the table dropdown can be hidden by a higher layer.
\`\`\`
</turn>`

export const toolbarRecord = `{
  "type": "agent.protocol.result",
  "version": "1",
  "run_id": "run_123",
  "status": "completed",
  "actions": [
    {
      "id": "inspect_code",
      "title": "Inspect Code",
      "description": "Find toolbar components, editor integration, styles, and tests.",
      "status": "completed",
      "summary": "Found Toolbar.vue, ToolbarButton.vue, toolbarConfig.ts, useToolbar.ts, useEditor.ts, and related tests."
    },
    {
      "id": "review_toolbar",
      "title": "Review Toolbar",
      "description": "Review toolbar button behavior, display layering, focus, undo/redo, and edge cases.",
      "status": "completed",
      "summary": "Found two issues: undo/redo state is not wired through, and the table dropdown can be hidden by a higher layer."
    }
  ],
  "next": "final_answer"
}`
