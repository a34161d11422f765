import type { Call, Reply, Work } from "../../src/harness/index.ts"

type Waiter = { promise: Promise<void>; resolve: () => void }

/** Work that ends only when it is told to, and that can be waited for. */
export function gate() {
  const open = new Map<string, (reply: Reply) => void>()
  const waiting = new Map<string, Waiter>()
  const calls: Call[] = []
  const key = (id: string, attempt: number): string => `${id}#${attempt}`
  const waiter = (name: string): Waiter => {
    const found = waiting.get(name) ?? Promise.withResolvers<void>()
    waiting.set(name, found)
    return found
  }
  const work: Work = (call) => {
    calls.push(call)
    const name = key(call.action.id, call.attempt)
    const { promise, resolve } = Promise.withResolvers<Reply>()
    open.set(name, resolve)
    waiter(name).resolve()
    return promise
  }
  return {
    work,
    calls,
    ids: () => calls.map(({ action }) => action.id),
    started: (id: string, attempt = 1): Promise<void> => waiter(key(id, attempt)).promise,
    finish: (id: string, reply: Reply = "ok", attempt = 1): void => open.get(key(id, attempt))?.(reply),
  }
}
