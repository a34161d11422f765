import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Stopped } from "../../src/cli/command.ts"
import { Contact } from "../../src/cli/contact.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function contact() {
  const told: string[] = []
  const url = "http://127.0.0.1:1/"
  const line = (text: string) => void told.push(text)
  const over = ({ code, message }: Stopped) => void told.push(`${code} ${message}`)
  return { told, ...new Contact({ url, session_id: "ses_1", line, over }) }
}
const lost = { state: "lost", since: 0 } as const
const live = { state: "live" } as const

test("a host that is away is told of once, and given up after 20 s", () => {
  const { see, told } = contact()
  see(live)
  see(lost)
  vi.advanceTimersByTime(19_000)
  see(lost)
  expect(told).toEqual(["The host does not answer; trying again."])
  vi.advanceTimersByTime(1_000)
  expect(told.slice(1)).toEqual([
    "4 The host at http://127.0.0.1:1/ does not answer any more. What was done is kept; when a host runs again: factum attach ses_1",
  ])
})

test("a host that is back in time has 20 s again when it goes once more", () => {
  const { see, told } = contact()
  for (const connection of [lost, live, live]) see(connection)
  vi.advanceTimersByTime(60_000)
  see(lost)
  vi.advanceTimersByTime(19_000)
  expect(told).toEqual([
    "The host does not answer; trying again.",
    "The host answers again.",
    "The host does not answer; trying again.",
  ])
})

test("a refusal is final", () => {
  const { see, told } = contact()
  see(lost)
  see({ state: "refused", status: 401 })
  vi.advanceTimersByTime(60_000)
  expect(told.slice(1)).toEqual(["1 The host at http://127.0.0.1:1/ shows ses_1 no longer (status 401)."])
})
