import { cpSync } from "node:fs"
import { join } from "node:path"
import { type Browser, chromium } from "playwright-core"
import buildPage from "../apps/workbench/test/build-page.ts"
import { findChromium } from "../apps/workbench/test/host-process.ts"
import { type Figure, figure, inTemporaryFolder, median } from "./measure.ts"
import { streamed } from "./workbench/agent.ts"
import { type Streamed, Window } from "./workbench/page.ts"
import { buildReferences, references } from "./workbench/reference/build.ts"
import { messagesOf } from "./workbench/reference/messages.ts"
import { factsOf, type Recorded, record } from "./workbench/session.ts"
import { ours, reference, type Subject } from "./workbench/subjects.ts"

const rounds = 5
/** 2,500 turns of 42 facts: 5,000 messages. */
const turns = { small: 24, large: 2500 }
/** Timestamps come in steps of a tenth of a millisecond, so that 16.67 ms may be read as 16.8. */
const clockStep = 1.01

type Case = Streamed & { large: number; heapBefore: number }
type Ours = { windowed: Case & { small: number; switched: number }; whole: Case; bareKeys: number }

/** The workbench in a real browser on a real host, beside two chats of others' parts that show the same session. */
export function workbench(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    buildPage()
    const pages = join(folder, "pages")
    await buildReferences(pages)
    const [small, large] = await record(folder, [turns.small, turns.large])
    if (small === undefined || large === undefined) throw new Error("Nothing was recorded.")
    const messages = messagesOf(await factsOf(folder, large.session_id))
    cpSync(join(folder, "data"), join(folder, "again"), { recursive: true })

    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
    try {
      const mine: Ours = {
        windowed: await withSubject(await ours(join(folder, "data")), (subject) =>
          windowed(browser, subject, small, large),
        ),
        whole: await withSubject(await ours(join(folder, "again")), (subject) =>
          whole(browser, subject, large),
        ),
        bareKeys: await inWindow(browser, (window) => window.bareKeys(10)),
      }
      const figures = ownFigures(mine, large.facts)
      for (const name of references) {
        const other = await withSubject(await reference(pages, name, messages), (subject) =>
          inWindow(browser, (window) => opened(window, subject, large)),
        )
        figures.push(...besides(mine, name, other, messages.length))
      }
      return figures
    } finally {
      await browser.close()
    }
  })
}

async function windowed(
  browser: Browser,
  subject: Subject,
  small: Recorded,
  large: Recorded,
): Promise<Ours["windowed"]> {
  const times = { small: [] as number[], large: [] as number[], switched: [] as number[] }
  return inWindow(browser, async (window) => {
    // The first visit fills the browser's caches.
    await window.visit(subject, small)
    for (let round = 0; round < rounds; round++) {
      times.small.push(await window.visit(subject, small))
      times.switched.push(await window.switchTo(subject, large))
      times.large.push(await window.visit(subject, large))
    }
    const heapBefore = await window.heap()
    const seen = await window.stream(subject, large, streamed.seconds - 2)
    const { small: one, large: other, switched } = times
    return { ...seen, heapBefore, small: median(one), large: median(other), switched: median(switched) }
  })
}

function whole(browser: Browser, subject: Subject, large: Recorded): Promise<Case> {
  return inWindow(browser, async (window) => {
    const time = await window.visit(subject, large)
    await window.loadAll()
    const heapBefore = await window.heap()
    return { ...(await window.stream(subject, large, streamed.seconds - 2)), heapBefore, large: time }
  })
}

async function opened(window: Window, subject: Subject, of: Recorded): Promise<Case> {
  const large = await window.visit(subject, of)
  const heapBefore = await window.heap()
  return { ...(await window.stream(subject, of, streamed.seconds - 2)), heapBefore, large }
}

async function withSubject<T>(subject: Subject, work: (subject: Subject) => Promise<T>): Promise<T> {
  try {
    return await work(subject)
  } finally {
    await subject.close()
  }
}

async function inWindow<T>(browser: Browser, work: (window: Window) => Promise<T>): Promise<T> {
  const window = await Window.open(browser)
  try {
    return await work(window)
  } finally {
    await window.close()
  }
}

function ownFigures({ windowed, whole, bareKeys }: Ours, facts: number): Figure[] {
  const most = (at_most: number) => ({ at_most })
  const count = facts.toLocaleString("en")
  const limit = (name: string, unit: string, value: number, against: number, ratio = 1) =>
    figure(`page: ${name}`, unit, value, "limit", against, most(ratio))
  const streams = (name: string, of: Case) => [
    limit(`${name}: interval of frames, p95`, "ms", of.p95, 16.7, clockStep),
    limit(`${name}: longest task over 50 ms (0: none)`, "ms", of.longest, 50),
    limit(`${name}: key to paint, p95`, "ms", of.keyP95, 16),
    figure(`page: ${name}: key to paint, p95`, "ms", of.keyP95, "a bare box", bareKeys, most(1.2)),
    figure(`page: ${name}: facts`, "facts/s", of.factsPerSecond, "asked", streamed.perSecond, {
      at_least: 0.95,
    }),
  ]
  return [
    limit(`${count} facts, address to interactive`, "ms", windowed.large, 500),
    figure("page: the same", "ms", windowed.large, "1,000 facts", windowed.small, most(1.2)),
    limit(`${count} facts, from another session to interactive`, "ms", windowed.switched, 500),
    ...streams("stream", windowed),
    ...streams("stream, all 5,000 messages loaded", whole),
  ]
}

/** Ours with as many messages loaded as the reference has; and as it is when it is opened. */
function besides({ windowed, whole }: Ours, peer: string, other: Case, messages: number): Figure[] {
  const count = messages.toLocaleString("en")
  const against = (name: string, unit: string, value: number, theirs: number, at_most: number) =>
    figure(`page: ${name}`, unit, value, peer, theirs, { at_most })
  return [
    against(`${count} messages, address to interactive`, "ms", windowed.large, other.large, 1),
    against("stream: frames not drawn in time", "frames", windowed.dropped, other.dropped, 0.1),
    against(`the same, all ${count} messages loaded`, "frames", whole.dropped, other.dropped, 0.1),
    against("stream: interval of frames, p95", "ms", windowed.p95, other.p95, 1),
    against("stream: longest task over 50 ms (0: none)", "ms", windowed.longest, other.longest, 1),
    against("stream: key to paint, p95", "ms", windowed.keyP95, other.keyP95, 1),
    figure(
      "page: stream: text that can be read at its end",
      "characters",
      windowed.drawn,
      peer,
      other.drawn,
      {
        at_least: 0.9,
      },
    ),
    against("heap when opened", "MB", windowed.heapBefore, other.heapBefore, 1),
    against(`the same, all ${count} messages loaded`, "MB", whole.heapBefore, other.heapBefore, 1),
    against("heap after the stream", "MB", windowed.heap, other.heap, 1),
    against(`the same, all ${count} messages loaded`, "MB", whole.heap, other.heap, 1),
  ]
}
