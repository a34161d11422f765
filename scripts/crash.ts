import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual, parseArgs } from "node:util"
import { type Knowledge, nothingKnown, unfinished, violations } from "./crash-check.ts"
import { Host } from "./crash-host.ts"
import { generator } from "./random.ts"

// Kills the host again and again while clients work with it, and compares its log with what they were told.
const { values } = parseArgs({
  options: { kills: { type: "string" }, seed: { type: "string" }, keep: { type: "boolean" } },
})
const kills = Number(values.kills ?? 200)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const random = generator(seed)
const lanes = 2
// Stuck is what adds no fact for so long although nothing kills the host; a slow machine adds them slowly.
const patience = { rounds: 200, pause_ms: 150 }
const answer = "One small step follows another until the whole answer stands written in the log. ".repeat(4)

type Sent = { command_id: string; session?: string; turn_id: string; text: string }
type Submitted = { session_id: string; thread_id: string; turn_id: string; queued_turn_id?: string }
type Totals = { kills: number; turns: number; facts: number; early: number }

const directory = mkdtempSync(join(tmpdir(), "factum-crash-"))
const script = join(directory, "script.jsonl")
writeFileSync(
  script,
  ['{"on":"."}', '{"reasoning":"Thinking."}', JSON.stringify({ text: answer, chunk: 7, every_ms: 2 })].join(
    "\n",
  ),
)
console.log(`crash: seed ${seed}, ${kills} kills`)
const share = Math.ceil(kills / lanes)
const results = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane, share)))
const found = results.flatMap((result) => result.found)
const total = (key: keyof Totals) => results.reduce((sum, { totals }) => sum + totals[key], 0)
for (const line of found.slice(0, 20)) console.log(`  ${line}`)
console.log(
  `crash: ${total("kills")} kills (${total("early")} before the host was ready), ${total("turns")} turns, ` +
    `${total("facts")} facts, ${found.length} violations`,
)
if (found.length === 0 || values.keep !== true) rmSync(directory, { recursive: true, force: true })
else console.log(`  kept ${directory}`)
process.exitCode = found.length === 0 ? 0 : 1

/** What goes wrong in a lane is found in it; the other lane ends its work all the same. */
async function runLane(lane: number, count: number) {
  const totals: Totals = { kills: 0, turns: 0, facts: 0, early: 0 }
  const found = await lives(lane, count, totals).catch((error) => [`lane ${lane} broke off: ${error}`])
  return { totals, found }
}

/** One store, killed `count` times, then left to come to rest. */
async function lives(lane: number, count: number, totals: Totals): Promise<string[]> {
  const data = join(directory, `lane-${lane}`)
  const known = new Map<string, Knowledge>()
  const unanswered: Sent[] = []
  const found: string[] = []
  for (let life = 0; life < count && found.length === 0; life++) {
    await using host = new Host(data, script)
    // One life in eight ends while the host still starts, in the middle of its recovery.
    if (random() < 1 / 8) {
      await pause(50 + random() * 350)
      totals.early++
    } else if (await host.ready()) {
      const stop = new AbortController()
      const work = clients(host, known, unanswered, stop.signal, totals)
      await pause(random() * 300)
      const killed = host.kill()
      stop.abort()
      await work
      await killed
    } else found.push(`the host did not start: ${host.output}`)
    await host.kill()
    totals.kills++
    if (totals.kills % 20 === 0) console.log(`crash: lane ${lane}, ${totals.kills} of ${count}`)
  }
  found.push(...(await lastLife(data, known, unanswered, totals)))
  return found
}

/** Nothing kills this one: everything owed must come to its end. */
async function lastLife(data: string, known: Map<string, Knowledge>, unanswered: Sent[], totals: Totals) {
  await using host = new Host(data, script)
  if (!(await host.ready())) return [`the last host did not start: ${host.output}`]
  const found: string[] = []
  for (const sent of unanswered.splice(0)) {
    await send(host, sent, known, totals).catch((error) => found.push(`${sent.turn_id}: ${error}`))
  }
  for (const [session_id, knowledge] of known) {
    if (session_id === "nowhere") found.push(...knowledge.wrong)
    if (session_id === "nowhere") continue
    const texts = await restOf(host, session_id)
    totals.facts += texts.length
    found.push(...violations(session_id, texts, knowledge, answer))
    for (const id of unfinished(texts)) found.push(`${session_id}: ${id} is stuck`)
  }
  return found
}

/** The facts of a session that has come to rest, or that no longer moves. */
async function restOf(host: Host, session_id: string): Promise<string[]> {
  let texts = await readAll(host, session_id)
  for (let still = 0; still < patience.rounds && unfinished(texts).length > 0; still++) {
    await pause(patience.pause_ms)
    const now = await readAll(host, session_id)
    if (now.length > texts.length) still = 0
    texts = now
  }
  return texts
}

/** Submits, queues, removes, promotes, interrupts and watches until the host is gone. */
async function clients(
  host: Host,
  known: Map<string, Knowledge>,
  unanswered: Sent[],
  signal: AbortSignal,
  totals: Totals,
) {
  const again = unanswered.splice(0)
  const watchers: Promise<void>[] = []
  const watched = new Set<string>()
  const watch = (session_id: string) => {
    if (watched.has(session_id)) return
    watched.add(session_id)
    watchers.push(follow(host, session_id, knowledgeOf(known, session_id), signal))
  }
  for (const session_id of [...known.keys()].slice(-2)) watch(session_id)
  const worker = async () => {
    while (!signal.aborted) await workOnce()
  }
  const workOnce = async () => {
    const sessions = [...known.keys()].slice(-3)
    const session = random() < 0.08 ? undefined : sessions[Math.floor(random() * sessions.length)]
    const fresh = {
      command_id: `cmd_${randomUUID()}`,
      turn_id: `trn_${randomUUID()}`,
      text: `ask ${randomUUID()}`,
    }
    const sent = again.shift() ?? { ...fresh, ...(session === undefined ? {} : { session }) }
    const turn = await send(host, sent, known, totals).catch(() => undefined)
    if (turn === undefined) {
      unanswered.push(sent)
      return
    }
    watch(turn.session_id)
    if (random() < 0.5) await steer(host, turn, known).catch(() => undefined)
    await pause(random() * 30)
  }
  await Promise.all([worker(), worker(), worker()])
  unanswered.push(...again)
  await Promise.all(watchers)
}

/** Sent again after a crash, a submission must give the same turn. */
async function send(
  host: Host,
  sent: Sent,
  known: Map<string, Knowledge>,
  totals: Totals,
): Promise<Submitted> {
  const where = sent.session === undefined ? { create: "session" } : { session_id: sent.session }
  const input = { ...where, turn_id: sent.turn_id, input: [{ kind: "text", text: sent.text }] }
  const ask = () => host.command<Submitted>("submit_turn", input, sent.command_id)
  // Some are sent twice at once, as impatient clients do.
  const [reply, twin] = await Promise.all(random() < 0.2 ? [ask(), ask()] : [ask()])
  if (!reply.ok || twin?.ok === false || (twin !== undefined && !isDeepStrictEqual(reply, twin))) {
    const { wrong } = knowledgeOf(known, sent.session ?? "nowhere")
    wrong.push(`submit_turn answered ${JSON.stringify(reply)} and ${JSON.stringify(twin)}`)
  }
  if (!reply.ok) throw new Error(reply.refusal.message)
  knowledgeOf(known, reply.result.session_id).acknowledged.set(sent.turn_id, sent.text)
  totals.turns++
  return reply.result
}

async function steer(host: Host, turn: Submitted, known: Map<string, Knowledge>): Promise<void> {
  const { session_id, thread_id, turn_id, queued_turn_id } = turn
  const { ended } = knowledgeOf(known, session_id)
  if (queued_turn_id === undefined) {
    if (random() < 0.6) return
    const reply = await host.command("interrupt_turn", { session_id, turn_id, reason: "crash test" })
    if (reply.ok) ended.add(turn_id)
    return
  }
  const name = random() < 0.5 ? "remove_queued_turn" : "promote_queued_turn"
  const reply = await host.command(name, { session_id, thread_id, queued_turn_id })
  if (reply.ok && name === "remove_queued_turn") ended.add(turn_id)
}

async function follow(host: Host, session_id: string, knowledge: Knowledge, signal: AbortSignal) {
  try {
    for await (const { text, fact } of host.facts(session_id, knowledge.last, signal)) {
      if (fact.sequence <= knowledge.last)
        knowledge.wrong.push(`fact ${fact.sequence} came after ${knowledge.last}`)
      knowledge.last = fact.sequence
      knowledge.seen.set(fact.sequence, text)
    }
  } catch {
    // The host was killed, which is the point.
  }
}

async function readAll(host: Host, session_id: string): Promise<string[]> {
  const reply = await host.command<{ snapshot: { sequence: number } }>("get_session", {
    session_id,
    limit: 1,
  })
  if (!reply.ok) throw new Error(JSON.stringify(reply.refusal))
  const { sequence } = reply.result.snapshot
  const stop = new AbortController()
  const texts: string[] = []
  for await (const { text, fact } of host.facts(session_id, 0, stop.signal)) {
    texts.push(text)
    if (fact.sequence === sequence) break
  }
  stop.abort()
  return texts
}

function knowledgeOf(known: Map<string, Knowledge>, session_id: string): Knowledge {
  const found = known.get(session_id) ?? nothingKnown()
  known.set(session_id, found)
  return found
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
