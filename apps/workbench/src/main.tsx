import { createClient } from "@factum/client"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import {
  applyTheme,
  edits,
  keepDraft,
  keepToken,
  marks,
  shelf,
  storedDraft,
  storedTheme,
  type Token,
  takeToken,
} from "./client/settings.ts"
import { Workbench } from "./client/workbench.ts"
import { App } from "./layout/App.tsx"
import { addressOf, type Place, placeOf } from "./layout/address.ts"

const listInterval = 5000
const hiddenTicks = 6

applyTheme(storedTheme())
const token = takeToken()
const access = createAccess()
const page = token === undefined ? undefined : startPage(token)

// A new address with a token is a new visit.
addEventListener("hashchange", () => location.hash.startsWith("#token=") && location.reload())

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
createRoot(root).render(
  <StrictMode>
    <App page={page} access={access} />
  </StrictMode>,
)

function startPage({ value: token, hasOther }: Token): Workbench {
  let isKept = false
  const fetcher: typeof fetch = async (...asked) => {
    const response = await fetch(...asked)
    if (response.ok && !isKept) {
      isKept = true
      keepToken(token)
    } else if (response.status === 401) {
      // The one of the earlier visit is still kept, and the address no longer names the one that was refused.
      if (hasOther && !isKept) location.reload()
      else access.refuse()
    }
    return response
  }
  const page = new Workbench({ client: createClient({ token, fetcher }), shelf, marks, edits, visit })
  const follow = () => page.follow(location.hash)
  addEventListener("hashchange", follow)
  follow()
  void page.refresh()
  let ticks = 0
  setInterval(() => {
    // Out of sight, only what needs somebody is of interest.
    if (access.refused() || (document.hidden && ++ticks % hiddenTicks !== 0)) return
    void page.refresh()
  }, listInterval)
  return page
}

function visit(place: Place, replace = false): void {
  const address = addressOf(place)
  if (!replace) {
    location.hash = address
    return
  }
  // What was typed while the session came into being goes with it.
  if (place.session !== undefined && placeOf(location.hash).session === undefined) {
    keepDraft(place.session, storedDraft(""))
    keepDraft("", "")
  }
  location.replace(address)
}

function createAccess() {
  let refused = false
  const listeners = new Set<() => void>()
  return {
    refused: () => refused,
    refuse: () => {
      refused = true
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
