import type { Ref } from "@factum/facts"
import type { ArtifactRefusal } from "../../ports/artifact.ts"
import type { ArtifactRow, VersionRow } from "./shelf.ts"

export function refuse(
  code: ArtifactRefusal["code"],
  message: string,
  more: Omit<ArtifactRefusal, "ok" | "code" | "message"> = {},
): ArtifactRefusal {
  return { ok: false, code, message, ...more }
}

export function conflict({ head }: ArtifactRow, base: string, edit_ref?: Ref): ArtifactRefusal {
  const message = `Version ${head} came after version ${base}, which this was made from.`
  const fix = `Look at version ${head}, then save again with base_version ${head}.`
  return refuse("conflict", message, {
    fix,
    current_version: String(head),
    ...(edit_ref === undefined ? {} : { edit_ref }),
  })
}

export const noVersion = (artifact_id: string, version: string) =>
  refuse("not_found", `${artifact_id} has no version ${version}.`, { fix: "Read its versions." })
export const unreadable = ({ digest }: VersionRow) =>
  refuse("not_found", `The content ${digest} is missing or damaged.`)
export const notKept = (reason: string) =>
  refuse("write_failed", `Nothing was saved: ${reason}.`, {
    fix: "Free space in the data directory if it is full, then save again.",
  })
