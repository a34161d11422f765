import { z } from "zod"
import type { ArtifactPort } from "../../ports/artifact.ts"
import { defineTool, failed } from "./define.ts"

const largestContent = 5_242_880

export const writeArtifact = (artifacts: ArtifactPort) =>
  defineTool({
    name: "write_artifact",
    description:
      "Keeps a finished piece of work (a document, page, table, drawing) for the person, as a new artifact or a new version of one.",
    input: z.strictObject({
      title: z.string().min(1).max(200),
      content: z.string().max(largestContent),
      media_type: z.string().min(1).max(200).optional().describe("text/markdown, if not said."),
      artifact_id: z.string().min(1).optional().describe("Of the artifact to change."),
      base_version: z.string().min(1).optional().describe("The version that this one is made from."),
    }),
    effect: "keyed",
    side_effects: ["write"],
    capabilities: ["artifact"],
    touches: async ({ title }) => [{ kind: "other", name: `artifact ${title}` }],
    async run({ content, media_type = "text/markdown", title, artifact_id, base_version }, run) {
      const { session_id, key } = run
      const written = await artifacts.write({
        session_id,
        key,
        title,
        media_type,
        content: Buffer.from(content),
        ...(artifact_id === undefined ? {} : { artifact_id }),
        ...(base_version === undefined ? {} : { base_version }),
      })
      if (!written.ok) {
        const now = written.current_version
        return failed(
          "tool_error",
          written.message,
          now === undefined ? undefined : `Start from version ${now}.`,
        )
      }
      const { ok: _, refs, ...told } = written
      const payload = { ...told, refs: [...refs], validation_issues: "unknown" as const }
      await run.record([{ type: "artifact.changed", payload }])
      const output = `${told.change === "produced" ? "Made" : "Changed"} artifact ${told.artifact_id}, version ${told.version}.`
      return {
        ok: true,
        output,
        artifact_ids: [told.artifact_id],
        data: { artifact_id: told.artifact_id, version: told.version },
      }
    },
  })
