import { createClient } from "@factum/client"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import {
  addressOf,
  applyTheme,
  keepDraft,
  sessionOfAddress,
  shelf,
  storedDraft,
  storedTheme,
  takeToken,
} from "./client/settings.ts"
import { WorkbenchStore } from "./client/store.ts"
import { App } from "./layout/App.tsx"

const listInterval = 5000

applyTheme(storedTheme())
const token = takeToken()
const access = createAccess()
const store = token === undefined ? undefined : startStore(token)

// A new address with a token is a new visit.
addEventListener("hashchange", () => location.hash.startsWith("#token=") && location.reload())

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
createRoot(root).render(
  <StrictMode>
    <App store={store} access={access} />
  </StrictMode>,
)

function startStore(token: string): WorkbenchStore {
  const store = new WorkbenchStore({
    client: createClient({ token }),
    token,
    shelf,
    onCreated: (session_id) => {
      const place = addressOf(session_id)
      // What was typed while the session came into being goes with it.
      keepDraft(place, storedDraft(addressOf()))
      keepDraft(addressOf(), "")
      location.replace(place)
    },
    onUnauthorized: access.refuse,
  })
  const follow = () => {
    const session_id = sessionOfAddress()
    store.intent({ control: "open", ...(session_id && { session_id }) })
  }
  addEventListener("hashchange", follow)
  follow()
  void store.refresh()
  setInterval(() => {
    if (!document.hidden && !access.refused()) void store.refresh()
  }, listInterval)
  return store
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
