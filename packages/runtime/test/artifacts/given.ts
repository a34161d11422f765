import { join } from "node:path"
import { onTestFinished } from "vitest"
import { type Artifacts, openArtifacts } from "../../src/adapters/artifacts/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import type { ArtifactChange, ArtifactDraft, ArtifactListener } from "../../src/ports/artifact.ts"
import type { BlobStore } from "../../src/ports/log.ts"
import { temporaryDirectory } from "../harness.ts"

export type Told = ArtifactChange & { claim: string }

/** The owner over a real file, with a session that writes down what it is told. */
export async function givenArtifacts(
  more: { directory?: string; listener?: Partial<ArtifactListener>; blobs?: BlobStore } = {},
) {
  const { directory = temporaryDirectory() } = more
  const blobs = more.blobs ?? new FileBlobs(join(directory, "blobs"))
  let time = Date.parse("2026-01-01T00:00:00Z")
  let made = 0
  const opened = openArtifacts(join(directory, "artifacts.db"), {
    blobs,
    clock: { now: () => (time += 1000) },
    ids: { next: (kind) => `${kind}_${++made}` },
  })
  if (!opened.ok) throw new Error(opened.message)
  const { artifacts } = opened
  const told: Told[] = []
  await artifacts.listen({
    tell: async (change, claim) => told.push({ ...change, claim }) > 0,
    locate: (about) => ({ ok: true, about }),
    mask: (text) => text.replaceAll("hunter2", "[redacted:password]"),
    ...more.listener,
  })
  onTestFinished(() => artifacts.close())
  return { artifacts, told, directory, blobs }
}

export const draft = (content: string, more: Partial<ArtifactDraft> = {}): ArtifactDraft => ({
  about: { session_id: "ses_1" },
  author: "person",
  title: "Plan",
  content: Buffer.from(content),
  ...more,
})

export async function made(artifacts: Artifacts, content = "one\n", more: Partial<ArtifactDraft> = {}) {
  const written = await artifacts.write(draft(content, more))
  if (!written.ok) throw new Error(written.message)
  return written.artifact_id
}

export function textIn(artifacts: Artifacts, artifact_id: string, version?: string): string {
  const found = artifacts.content(artifact_id, version)
  return found.ok ? Buffer.from(found.bytes).toString() : `${found.code}`
}
