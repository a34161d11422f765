import { useEffect, useState } from "react"
import { useReach } from "../../client/page.ts"
import { useWords } from "../../i18n/words.ts"
import { Fallback } from "../../ui/Fallback.tsx"
import { isolatedPage } from "./isolated.ts"

type Place = { html: string; path?: string; why?: string }

/** A page that somebody wrote: drawn in a frame that has no right at all, not even to run a script. */
export function Isolated({ html, name }: { html: string; name: string }) {
  const { space } = useWords()
  const { preview } = useReach()
  const [found, setFound] = useState<Place>()
  const place = found?.html === html ? found : undefined
  useEffect(() => {
    let isLeft = false
    void preview?.(isolatedPage(html)).then((reply) => {
      if (isLeft) return
      setFound(reply.ok ? { html, path: reply.result.path } : { html, why: reply.refusal.message })
    })
    return () => {
      isLeft = true
    }
  }, [preview, html])
  if (preview !== undefined && place?.path === undefined)
    return place?.why === undefined ? (
      <Fallback state="loading" title={space.reading} />
    ) : (
      <Fallback state="unavailable" title={space.notReadable} reason={place.why} />
    )
  return (
    <>
      <p className="meta border-line border-b px-3 py-1">{space.isolated}</p>
      <iframe
        title={space.previewOf(name)}
        sandbox=""
        referrerPolicy="no-referrer"
        // Where nobody serves it, it is written into the frame, whose page may then forbid its styles.
        {...(place?.path === undefined ? { srcDoc: isolatedPage(html) } : { src: place.path })}
        data-preview="html"
        className="h-[60vh] min-h-64 w-full bg-white"
      />
    </>
  )
}
