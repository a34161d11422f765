import { describe, expect, it } from "vitest"
import {
  buildContext,
  type Declaration,
  type Expansion,
  expansionRecord,
  instruction,
  renderTranscript,
  reportRecord,
  resultRecord,
} from "../../src/index.ts"
import { characters } from "./given.ts"

const declared = { version: "1", origin: "dsl", source: "{}", sections: [], extensions: {} } as const

describe("declarations that start no work", () => {
  const ref = "runtime://run_123/actions/review_toolbar/output"
  const asked: Extract<Declaration, { intent: "expand_ref" }> = {
    ...declared,
    intent: "expand_ref",
    refs: [{ ref, reason: "Exact evidence." }, { ref: "artifact:gone" }, { ref: "artifact:log" }],
  }
  const expansions: Expansion[] = [
    { ref, reason: "Exact evidence.", ok: true, text: "undo is not wired", tokens: 4 },
    { ref: "artifact:gone", ok: false, declined: "artifact:gone names nothing that is stored." },
    {
      ref: "artifact:log",
      ok: true,
      text: "line 1",
      tokens: 2,
      more: "artifact:log#at=6",
      omitted: { tokens: 9, characters: 40 },
    },
  ]
  const answered = () => expansionRecord("run_9", asked, expansions)

  it("[MP-RECORD-5] an expansion is answered by a result", () => {
    expect(resultRecord(answered())).toEqual({
      type: "agent.protocol.result",
      version: "1",
      run_id: "run_9",
      status: "completed",
      actions: [
        {
          id: "expand_1",
          title: "expand_1",
          description: "",
          status: "completed",
          summary: `${ref} was expanded.`,
        },
        {
          id: "expand_2",
          title: "expand_2",
          description: "",
          status: "failed",
          summary: "artifact:gone names nothing that is stored.",
        },
        {
          id: "expand_3",
          title: "expand_3",
          description: "",
          status: "completed",
          summary: "artifact:log was expanded.",
        },
      ],
      next: "final_answer",
    })
  })

  it("[MP-TRANS-6] an expansion tells each reference, in order, with its text or why there is none", () => {
    expect(renderTranscript([{ kind: "run", run: answered() }])).toBe(`<turn index="1">
## Assistant protocol request and runtime observations

run_id: \`run_9\`
Purpose: expand_ref
Status: completed

### Call expand_1

Operation: \`expand_reference\`
Reference: ${ref}
Reason: Exact evidence.

### Result for expand_1

Status: completed
Artifacts: ${ref}

\`\`\`md
undo is not wired
\`\`\`

### Call expand_2

Operation: \`expand_reference\`
Reference: artifact:gone

### Result for expand_2

Status: failed
Reason: artifact:gone names nothing that is stored.

### Call expand_3

Operation: \`expand_reference\`
Reference: artifact:log

### Result for expand_3

Status: completed
Artifacts: artifact:log, artifact:log#at=6
Omitted: 9 tokens, 40 characters

\`\`\`md
line 1
\`\`\`
</turn>

${instruction}`)
  })

  it("[MP-NOISE-2] an old expansion is told by its references", () => {
    const { text } = buildContext({
      history: [{ kind: "run", run: answered() }],
      replay: { epoch: 9, stale_after: 2 },
      tokenizer: characters,
    })
    expect(text).toContain(`Artifacts: ${ref}\n\n\`\`\`md\n${ref} was expanded.\n\`\`\``)
    expect(text).not.toContain("undo is not wired")
    expect(text).not.toContain("Omitted:")
  })

  it("[MP-RECORD-5] the whole answer to an expansion", () => {
    const record = answered()
    expect(record.observations).toEqual({
      expand_1: {
        action_id: "expand_1",
        status: "completed",
        policy: "full",
        content: "undo is not wired",
        summary: `${ref} was expanded.`,
        summary_level: "mechanical",
        refs: [ref],
        tokens: 4,
      },
      expand_2: {
        action_id: "expand_2",
        status: "failed",
        policy: "full",
        content: "",
        summary: "artifact:gone names nothing that is stored.",
        summary_level: "mechanical",
        refs: [],
        tokens: 0,
        reason: "artifact:gone names nothing that is stored.",
      },
      expand_3: {
        action_id: "expand_3",
        status: "completed",
        policy: "excerpt",
        content: "line 1",
        summary: "artifact:log was expanded.",
        summary_level: "mechanical",
        refs: ["artifact:log", "artifact:log#at=6"],
        tokens: 2,
        omitted: { tokens: 9, characters: 40 },
      },
    })
    expect(record.state).toEqual({
      run_id: "run_9",
      status: "completed",
      actions: {},
      accepted_at: 0,
      spent: { tokens: 0, cost: 0, retries: 0 },
    })
    expect(record.graph).toEqual({
      persist: false,
      mode: "ephemeral",
      strategy: "dag",
      actions: [],
      budget: {},
      cancellation: "drain",
      conflicts: "order",
      approvals: [],
    })
  })

  it("[MP-RECORD-5] a report is answered by a result", () => {
    const spec = { ...declared, intent: "execute", report: { title: "Findings", sections: [] } } as const
    const report = reportRecord("run_8", spec, "# Findings\n", characters)
    expect(report.observations.report).toMatchObject({ content: "# Findings\n", tokens: 11, policy: "full" })
    expect(resultRecord(report).actions).toEqual([
      {
        id: "report",
        title: "report",
        description: "",
        status: "completed",
        summary: "The report was built: Findings.",
      },
    ])
    const graph = { ...report.graph }
    const untitled = reportRecord("run_8", { ...declared, intent: "plan", graph }, "x", characters)
    expect(resultRecord(untitled).actions[0]?.summary).toBe("The report was built.")
  })
})
