import type { SurfaceName, ViewOf } from "@factum/agent-ui"
import type { Workbench } from "../client/workbench.ts"
import type { Words } from "../i18n/words.ts"
import { saveFile } from "../surfaces/artifact/body.ts"

/** How many windows of older facts a report reads at most; each is held in memory from then on. */
const mostWindows = 200

/**
 * Gives the session that is open to the person as one file, read back to its beginning. What makes it is fetched when it
 * is first asked for.
 */
export async function saveReport(page: Workbench, session: string | undefined, words: Words): Promise<void> {
  if (session === undefined) return
  const [{ reportOf }, isWhole] = await Promise.all([
    import("./report.ts"),
    page.readToBeginning(session, mostWindows),
  ])
  const scope = { sessionId: session, window: { from: 0, to: Number.MAX_SAFE_INTEGER } }
  const of = <S extends SurfaceName>(surface: S, more?: { runId: string }): ViewOf<S> =>
    page.view(surface, { ...scope, ...more })
  const title = page.bound.store.getSnapshot().sessions.get(session)?.title ?? session
  const now = new Date().toLocaleString()
  const html = reportOf({ of, words, sessionId: session, title, now, isCut: !isWhole })
  saveFile(`${title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.html`, "text/html", html)
}
