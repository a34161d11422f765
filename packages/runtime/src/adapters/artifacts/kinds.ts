import type { Preview } from "@factum/facts"
import { head, textOf } from "../../outputs/text.ts"
import type { ArtifactKind } from "../../ports/artifact.ts"

const previewBytes = 2_048

/** What a person would call it, by its format. */
export function kindOf(media_type: string): ArtifactKind {
  const type = media_type.split(";")[0]?.trim().toLowerCase() ?? ""
  if (type.startsWith("image/")) return "image"
  return byType[type] ?? (type.startsWith("text/") ? "document" : "other")
}

const byType: Readonly<Record<string, ArtifactKind>> = {
  "text/html": "page",
  "text/csv": "table",
  "text/tab-separated-values": "table",
  "application/json": "data",
  "application/yaml": "data",
  "application/xml": "data",
  "application/pdf": "document",
  "text/javascript": "code",
  "text/typescript": "code",
  "text/x-python": "code",
  "text/css": "code",
}

export function previewOf(bytes: Uint8Array, media_type: string): Preview {
  const text = textOf(bytes)
  if (text === undefined) return { text: `[${media_type}, ${bytes.byteLength} bytes]`, whole: false }
  const shown = head(text, previewBytes)
  return { text: shown, whole: shown.length === text.length }
}

/** Counted only where a format can be checked; nobody else has looked. */
export function issuesIn(bytes: Uint8Array, media_type: string): number | "unknown" {
  if (media_type.split(";")[0]?.trim() !== "application/json") return "unknown"
  try {
    JSON.parse(textOf(bytes) ?? "")
    return 0
  } catch {
    return 1
  }
}
