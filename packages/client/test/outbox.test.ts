import { expect, test } from "vitest"
import { type Client, Outbox, type Pending, type Refusal, type Shelf } from "../src/index.ts"

const input = { session_id: "ses_1", input: [{ kind: "text" as const, text: "hello" }] }
const accepted = {
  ok: true,
  result: { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1", status: "accepted" },
} as const

/** An outbox to a host that answers so, one answer after another and the last one for ever. */
function outboxTo(...codes: (Refusal["code"] | "ok")[]) {
  const kept = new Map<string, Pending>()
  const shelf: Shelf = {
    load: () => [...kept.values()],
    put: (pending) => void kept.set(pending.turn_id, pending),
    drop: (turn_id) => void kept.delete(turn_id),
  }
  let asked = 0
  const command = async () => {
    const code = codes[Math.min(asked++, codes.length - 1)] ?? "ok"
    if (code === "ok") return accepted
    return { ok: false, refusal: { code, message: `It is ${code}.` } }
  }
  const outbox = new Outbox({
    client: { command: command as Client["command"] },
    shelf,
    changed: () => undefined,
    accepted: () => undefined,
    pause: async () => undefined,
  })
  return { outbox, kept, asked: () => asked }
}

test("nobody's answer is waited for as long as it takes", async () => {
  const { outbox, kept, asked } = outboxTo(...Array.from({ length: 40 }, () => "unreachable" as const), "ok")
  expect(await outbox.send(input)).toEqual(accepted)
  expect(asked()).toBe(41)
  expect(kept.size).toBe(0)
})

test("a host that closes and comes back gets the message", async () => {
  const { outbox } = outboxTo("unavailable", "unavailable", "unreachable", "unavailable", "ok")
  expect(await outbox.send(input)).toEqual(accepted)
})

test("a host that goes on answering that it does not do it is believed, and the message is kept with that", async () => {
  const { outbox, kept, asked } = outboxTo("unavailable")
  expect(await outbox.send(input)).toMatchObject({ ok: false, refusal: { code: "unavailable" } })
  expect(asked()).toBe(5)
  expect(outbox.pending).toMatchObject([{ refusal: { code: "unavailable", message: "It is unavailable." } }])
  expect([...kept.values()]).toEqual(outbox.pending)
})

test("any other refusal is an answer at once", async () => {
  const { outbox, asked } = outboxTo("too_large")
  expect(await outbox.send(input)).toMatchObject({ ok: false, refusal: { code: "too_large" } })
  expect(asked()).toBe(1)
})
