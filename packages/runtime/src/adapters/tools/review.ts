import { z } from "zod"
import type { ArtifactPort } from "../../ports/artifact.ts"
import { defineTool, failed } from "./define.ts"

/** A person judges one version of an artifact; a later version has not been judged by that. */
export const requestReview = (artifacts: ArtifactPort) =>
  defineTool({
    name: "request_review",
    description: "Asks the person to review a version of an artifact and waits for the judgement.",
    input: z.strictObject({
      artifact_id: z.string().min(1),
      version: z.string().min(1).optional().describe("The newest, if not said."),
      question: z.string().min(1).max(2_000).optional().describe("What to look at."),
    }),
    effect: "none",
    side_effects: [],
    capabilities: ["human", "artifact"],
    touches: async () => [],
    asks({ artifact_id, version, question }) {
      const found = artifacts.content(artifact_id, version)
      if (!found.ok) return failed("tool_error", found.message, found.fix)
      return {
        action_type: "artifact_review",
        title: `Review ${found.title}, version ${found.version}`,
        ...(question === undefined ? {} : { detail: question }),
        subject_refs: [found.ref],
        decisions: [
          { id: "approve", label: "Approve", effect: "allow" },
          { id: "request_changes", label: "Ask for changes", effect: "neutral" },
          { id: "reject", label: "Reject", effect: "deny" },
        ],
        answer_schema: {
          type: "object",
          properties: { comments: { type: "string", maxLength: 20_000 } },
          additionalProperties: false,
        },
      }
    },
    run: async () => failed("tool_error", "Nobody can be asked here."),
  })
