import { useEffect, useState } from "react"

const kinds = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"] as const
const beginnings: readonly (readonly [string, string])[] = [
  ["\x89PNG", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
]

/** What kind of picture the bytes are: said, or seen in how they begin. Drawings with scripts are none. */
export function imageOf(type: string | undefined, bytes: Uint8Array): string | undefined {
  if (type !== undefined && kinds.some((kind) => kind === type)) return type
  const first = String.fromCharCode(...bytes.subarray(0, 8))
  return beginnings.find(([begin]) => first.startsWith(begin))?.[1]
}

export function ByteImage({
  bytes,
  type,
  name,
}: {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  name: string
}) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return url === undefined ? null : (
    <img src={url} alt={name} className="border-line mt-1 max-h-80 max-w-full rounded-md border" />
  )
}
