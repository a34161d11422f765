import type { Pending, Shelf } from "@factum/client"
import { createClient, factsOf, follow } from "@factum/client"
import { afterEach, expect, vi } from "vitest"
import { partsOf } from "../src/client/conversation.ts"
import { type Intent, WorkbenchStore } from "../src/client/store.ts"
import { FakeHost } from "./fake-host.ts"
import type { Story } from "./story.ts"

const opened: { store: WorkbenchStore; host: FakeHost }[] = []

/** A page on a host. Waiting takes no time, but lets everything else go first. */
export function page(host = new FakeHost(), shelf = memoryShelf()) {
  const created: string[] = []
  let unauthorized = 0
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0))
  const store = new WorkbenchStore({
    client: createClient({ token: "secret", fetcher: host.fetch }),
    token: "secret",
    shelf,
    onCreated: (session_id) => {
      created.push(session_id)
      store.intent({ control: "open", session_id })
    },
    onUnauthorized: () => unauthorized++,
    schedule: queueMicrotask,
    follow: (options, signal) => follow(factsOf({ ...options, fetcher: host.fetch, pause }), signal),
    pause,
  })
  opened.push({ store, host })
  const look = store.view
  return {
    host,
    shelf,
    store,
    created,
    look,
    unauthorized: () => unauthorized,
    do: (intent: Intent) => store.intent(intent),
    sees: (expected: Record<string, unknown>) =>
      vi.waitFor(() => expect(look()).toMatchObject(expected), { interval: 1 }),
    until: (check: () => void) => vi.waitFor(check, { interval: 1 }),
    answer: () =>
      look()
        .turns.flatMap(partsOf)
        .map((part) => part.text)
        .join("|"),
  }
}

export function memoryShelf(): Shelf & { kept: Map<string, Pending> } {
  const kept = new Map<string, Pending>()
  return {
    kept,
    load: () => [...kept.values()],
    put: (pending) => void kept.set(pending.turn_id, pending),
    drop: (turn_id) => void kept.delete(turn_id),
  }
}

afterEach(() => {
  for (const { store, host } of opened.splice(0)) {
    host.isUp = true
    host.isClosing = false
    host.refuse = {}
    host.release()
    store.intent({ control: "open" })
  }
})

export const running = (story: Story): Story =>
  story.begin().submit("t1", "Hi").start("t1").request("t1", "r1").delta("t1", "r1", "p", "Hel")

/** A page on which `ses_1` is open and streaming. */
export async function streaming(host = new FakeHost()) {
  const story = running(host.story("ses_1"))
  const at = page(host)
  at.do({ control: "open", session_id: "ses_1" })
  await at.sees({ connection: { state: "live" } })
  expect(at.answer()).toBe("Hel")
  return { ...at, story }
}
