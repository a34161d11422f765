import { useEffect, useState } from "react"
import { useReach } from "../../client/page.ts"

export type Bytes = Uint8Array<ArrayBuffer>
export type Body =
  | { state: "unasked" }
  | { state: "reading" }
  | { state: "read"; bytes: Bytes }
  | { state: "failed"; why: string }

const unasked: Body = { state: "unasked" }

/** The bytes that a ref names, read once it is wanted. A late answer for another ref is dropped. */
export function useBody(ref: string | undefined, wanted: boolean): Body {
  const { read } = useReach()
  const [got, setGot] = useState<{ ref: string; body: Body }>()
  useEffect(() => {
    if (ref === undefined || !wanted) return
    let left = false
    setGot({ ref, body: { state: "reading" } })
    void read(ref).then((reply) => {
      if (left) return
      const body: Body = reply.ok
        ? { state: "read", bytes: reply.result }
        : { state: "failed", why: reply.refusal.message }
      setGot({ ref, body })
    })
    return () => {
      left = true
    }
  }, [ref, wanted, read])
  return got !== undefined && got.ref === ref ? got.body : unasked
}

export const textIn = (bytes: Bytes): string => new TextDecoder().decode(bytes)

/** Gives a file to the person; the browser asks where to put it. */
export function saveFile(name: string, type: string, content: Bytes | string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
