import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { HostProcess } from "../../apps/workbench/test/host-process.ts"
import { said } from "./agent.ts"
import type { Sight } from "./probe.ts"
import { serve } from "./reference/server.ts"
import type { Recorded } from "./session.ts"

/** A page that shows the recorded session, ours or another's. */
export type Subject = {
  /** Opens the session by its address. */
  address: (of: Recorded) => string
  /** The newest question of the session; under it stands its answer. */
  newest: (of: Recorded) => Sight
  /** Where answers stand; the newest is the last one. */
  answer: string
  /** How many facts of the session the owner has, where there is such a count. */
  facts?: (of: Recorded) => Promise<number>
  close(): Promise<void>
}

export async function ours(data: string): Promise<Subject> {
  const main = fileURLToPath(new URL("host.ts", import.meta.url))
  const host = await new HostProcess({ data, script: "", main }).start()
  return {
    address: ({ session_id }) => `${host.page}&/s/${session_id}`,
    newest: ({ turns }) => ({ selector: "[data-role=user]", text: said.turn(turns - 1) }),
    answer: "[data-turn]",
    facts: async ({ session_id }) => {
      const response = await fetch(`${host.origin}/v1/commands/get_session`, {
        method: "POST",
        headers: { authorization: `Bearer ${host.token}`, "content-type": "application/json" },
        body: JSON.stringify({ input: { session_id, limit: 1 } }),
      })
      const { result }: { result: { snapshot: { sequence: number } } } = await response.json()
      return result.snapshot.sequence
    },
    close: () => host.kill(),
  }
}

export async function reference(
  pages: string,
  name: string,
  messages: Parameters<typeof serve>[1],
): Promise<Subject> {
  const server = await serve(pages, messages)
  return {
    address: () => `${server.url}${name}.html`,
    newest: ({ turns }) => ({ selector: ".message[data-role=user]", text: said.turn(turns - 1) }),
    answer: ".message[data-role=assistant]",
    close: async () => server.close(),
  }
}

/** Says what makes the model stream, and waits until its text is there; the keyboard is in the box then. */
export async function startStream(page: Page, { answer }: Subject): Promise<void> {
  const before = await page.evaluateHandle(lastOf, answer)
  const box = page.getByRole("textbox", { name: "Message" })
  await box.fill(said.stream)
  await box.press("Enter")
  await page.waitForFunction(
    ({ answer, before }) => {
      const last = [...document.querySelectorAll(answer)].at(-1)
      return last !== before && (last?.textContent ?? "").length > 200
    },
    { answer, before },
    { timeout: 60_000 },
  )
}

/** How many characters of the newest answer are there to be read. */
export const drawn = (page: Page, { answer }: Subject): Promise<number> =>
  page.evaluate((answer) => [...document.querySelectorAll(answer)].at(-1)?.textContent?.length ?? 0, answer)

const lastOf = (selector: string) => [...document.querySelectorAll(selector)].at(-1)
