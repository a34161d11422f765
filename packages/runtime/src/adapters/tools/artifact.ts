import { z } from "zod"
import { textOf } from "../../outputs/text.ts"
import { type ArtifactPort, artifactKinds } from "../../ports/artifact.ts"
import type { ToolRun } from "../../ports/tool.ts"
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
      kind: z.enum(artifactKinds).optional().describe("Follows from the media type, if not said."),
      artifact_id: z.string().min(1).optional().describe("Of the artifact to change."),
      base_version: z.string().min(1).optional().describe("The version that this one is made from."),
    }),
    effect: "keyed",
    side_effects: ["write"],
    capabilities: ["artifact"],
    touches: async ({ title, artifact_id }) => [{ kind: "other", name: `artifact ${artifact_id ?? title}` }],
    async run({ content, ...given }, run) {
      const { artifact_id, base_version, title, kind, media_type } = given
      const written = await artifacts.write({
        about: scopeOf(run),
        key: run.key,
        author: "agent",
        title,
        content: Buffer.from(content),
        ...(media_type === undefined ? {} : { media_type }),
        ...(kind === undefined ? {} : { kind }),
        ...(artifact_id === undefined ? {} : { artifact_id }),
        ...(base_version === undefined ? {} : { base_version }),
      })
      if (!written.ok) {
        const now = written.current_version
        const next = now === undefined ? written.fix : `Read version ${now} and start from it.`
        return failed("tool_error", written.message, next)
      }
      const done = written.change === "produced" ? "Made" : "Changed"
      return {
        ok: true,
        output: `${done} artifact ${written.artifact_id}, version ${written.version}.`,
        artifact_ids: [written.artifact_id],
        data: { artifact_id: written.artifact_id, version: written.version },
      }
    },
  })

export const readArtifact = (artifacts: ArtifactPort) =>
  defineTool({
    name: "read_artifact",
    description: "Reads an artifact that was kept for the person, in its newest version or an older one.",
    input: z.strictObject({
      artifact_id: z.string().min(1),
      version: z.string().min(1).optional().describe("The newest, if not said."),
    }),
    effect: "none",
    side_effects: ["read"],
    capabilities: ["artifact"],
    touches: async () => [],
    async run({ artifact_id, version }, run) {
      const found = artifacts.content(artifact_id, version)
      if (!found.ok) return failed("tool_error", found.message, found.fix)
      // The session refers to it from now on, wherever it was made.
      const seen = await artifacts.observe(artifact_id, scopeOf(run))
      if (!seen.ok) return failed("tool_error", seen.message)
      const { bytes, media_type } = found
      const text = textOf(bytes)
      const data = { artifact_id, version: found.version }
      if (text === undefined) return { ok: true, output: bytes, media_type, data }
      return { ok: true, output: `(version ${found.version})\n${text}`, data }
    },
  })

const scopeOf = ({ session_id, thread_id, turn_id, tool_call_id }: ToolRun) => ({
  session_id,
  thread_id,
  turn_id,
  tool_call_id,
})
