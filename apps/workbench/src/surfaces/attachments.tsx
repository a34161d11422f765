import type { InputPartView } from "@factum/agent-ui"
import type { BlobRef, Reply } from "@factum/client"
import { useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { bytes } from "../ui/measures.ts"
import { State } from "../ui/State.tsx"

export type Upload = (file: Blob) => Promise<Reply<BlobRef>>
type Part = Exclude<InputPartView, { kind: "text" }>
type Attached = {
  key: number
  name: string
  /** Not known of one that came back without being sent. */
  size?: number | undefined
  state: "uploading" | "ready" | "failed"
  part?: Part
}

const kinds = ["image", "audio", "video"] as const
const kindOf = (type: string): (typeof kinds)[number] | "document" =>
  kinds.find((kind) => type.startsWith(`${kind}/`)) ?? "document"

export type Attachments = ReturnType<typeof useAttachments>

/** Files on their way to the host: a message names them by the digest that comes back. */
export function useAttachments(upload: Upload) {
  const [files, setFiles] = useState<readonly Attached[]>([])
  const next = useRef(0)
  const change = (key: number, to: Partial<Attached>) =>
    setFiles((all) => all.map((file) => (file.key === key ? { ...file, ...to } : file)))
  const add = (given: readonly File[]) => {
    for (const file of given) {
      const key = next.current++
      setFiles((all) => [...all, { key, name: file.name, size: file.size, state: "uploading" }])
      void upload(file).then((reply) => {
        if (!reply.ok) return change(key, { state: "failed" })
        const mediaType = file.type || "application/octet-stream"
        const ref = `blob:${reply.result.digest}`
        change(key, {
          state: "ready",
          part: { kind: kindOf(mediaType), ref, mediaType, name: file.name, bytes: file.size },
        })
      })
    }
  }
  /** What was attached before, and is on the host already. */
  const restore = (parts: readonly Part[]) =>
    setFiles((all) => [
      ...parts.map((part): Attached => {
        const name = ("name" in part && part.name) || ("label" in part && part.label) || part.ref
        const size = "bytes" in part ? part.bytes : undefined
        return { key: next.current++, name, size, state: "ready", part }
      }),
      ...all,
    ])
  return {
    files,
    add,
    restore,
    parts: files.flatMap(({ part }) => part ?? []),
    isUploading: files.some(({ state }) => state === "uploading"),
    hasFailed: files.some(({ state }) => state === "failed"),
    remove: (key: number) => setFiles((all) => all.filter((file) => file.key !== key)),
    clear: () => setFiles([]),
  }
}

export function AttachedFiles({ attachments: { files, remove } }: { attachments: Attachments }) {
  const words = useWords()
  if (files.length === 0) return null
  return (
    <ul aria-label={words.talk.attached} className="flex flex-wrap gap-1 px-2 pt-2">
      {files.map(({ key, name, size, state }) => (
        <li
          key={key}
          data-file={name}
          data-state={state}
          className="border-line bg-raised meta inline-flex max-w-64 items-center gap-1.5 rounded-md border px-1.5 py-0.5"
        >
          {state !== "ready" && <State state={state === "uploading" ? "waiting" : "failed"} quiet />}
          <span className="text-ink truncate">{name}</span>
          {size !== undefined && <span>{bytes(size)}</span>}
          {state === "failed" && <span className="text-bad">{words.talk.notUploaded(name)}</span>}
          <button
            type="button"
            aria-label={words.talk.removeFile(name)}
            className="hover:text-ink px-0.5"
            onClick={() => remove(key)}
          >
            <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
