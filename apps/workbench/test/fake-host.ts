import type { Fact } from "@factum/client"
import { Story } from "./story.ts"

type Call = { name: string; command_id: string; input: Record<string, unknown> }
type Refusal = { code: string; message: string; fix?: string; field?: string }

/** A host as the page sees it through `fetch`: commands, the list, streams, crashes and lost answers. */
export class FakeHost {
  readonly stories = new Map<string, Story>()
  readonly calls: Call[] = []
  token = "secret"
  isUp = true
  /** Still answers, but only that it is about to go. */
  isClosing = false
  /** How the last turn of a session ended, as the list tells it. */
  outcomes: Record<string, string> = {}
  /** What the list is refused with. */
  refuseList: Refusal | undefined
  /** Commands that never arrive. */
  loseCommands = 0
  /** Commands that are carried out, but whose answers get lost. */
  loseAnswers = 0
  /** What to refuse next, by command. */
  refuse: Record<string, Refusal> = {}
  window = 1000
  /** Requests to hold until `release`, by a piece of their address. */
  hold: string | undefined
  #held: (() => void)[] = []
  #answers = new Map<string, unknown>()
  #streams = new Map<ReadableStreamDefaultController<Uint8Array>, { session_id: string; after: number }>()

  story(session_id: string): Story {
    const story = this.stories.get(session_id) ?? new Story(session_id)
    this.stories.set(session_id, story)
    return story
  }

  /** Sends what the streams have not sent yet. `skip` leaves facts out, as a broken host would. */
  flush(skip: (fact: Fact) => boolean = () => false): void {
    for (const [stream, to] of this.#streams) {
      const facts = this.story(to.session_id).facts.filter((fact) => fact.sequence > to.after)
      to.after += facts.length
      const frames = facts
        .filter((fact) => !skip(fact))
        .map((fact) => `id: ${fact.sequence}\ndata: ${JSON.stringify(fact)}\n\n`)
      if (frames.length > 0) stream.enqueue(new TextEncoder().encode(frames.join("")))
    }
  }

  get streaming(): string[] {
    return [...this.#streams.values()].map(({ session_id }) => session_id)
  }

  /** Ends the streams; what is asked from now on is refused. */
  close(): void {
    this.isClosing = true
    for (const stream of this.#streams.keys()) stream.close()
    this.#streams.clear()
  }

  crash(): void {
    this.isUp = false
    for (const stream of this.#streams.keys()) stream.error(new Error("reset"))
    this.#streams.clear()
  }

  release(): void {
    this.hold = undefined
    for (const go of this.#held.splice(0)) go()
  }

  fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input), "http://host")
    if (this.hold !== undefined && `${url.pathname}${init?.body ?? ""}`.includes(this.hold)) {
      await new Promise<void>((resolve) => this.#held.push(resolve))
    }
    if (!this.isUp) throw new TypeError("Failed to fetch")
    const headers = new Headers(init?.headers)
    if (headers.get("authorization") !== `Bearer ${this.token}`) {
      return reply(401, { ok: false, refusal: { code: "unauthorized", message: "No." } })
    }
    if (this.isClosing) {
      return reply(503, { ok: false, refusal: { code: "unavailable", message: "The host is closing." } })
    }
    const name = /^\/v1\/commands\/(\w+)$/.exec(url.pathname)?.[1]
    if (name !== undefined && this.loseCommands-- > 0) throw new TypeError("Failed to fetch")
    if (name !== undefined) return this.#command(name, JSON.parse(String(init?.body)))
    if (url.pathname === "/v1/sessions" && this.refuseList) {
      return reply(500, { ok: false, refusal: this.refuseList })
    }
    if (url.pathname === "/v1/sessions") return reply(200, { ok: true, result: { sessions: this.#list() } })
    const session_id = /^\/v1\/sessions\/(\w+)\/facts$/.exec(url.pathname)?.[1] ?? ""
    return this.#stream(session_id, Number(url.searchParams.get("after")), init?.signal ?? undefined)
  }

  #list() {
    return [...this.stories.values()].map(({ session_id }) => {
      const outcome = this.outcomes[session_id]
      const row = { session_id, title: `Title of ${session_id}`, status: "idle", updated_at: "", sequence: 1 }
      return outcome === undefined ? row : { ...row, outcome }
    })
  }

  #command(name: string, { command_id, input }: Omit<Call, "name">): Response {
    this.calls.push({ name, command_id, input })
    const refusal = this.refuse[name]
    if (refusal !== undefined) return reply(409, { ok: false, refusal })
    const result = this.#answers.get(command_id) ?? this.#carryOut(name, input)
    if (result === undefined) {
      return reply(404, { ok: false, refusal: { code: "not_found", message: "No such session." } })
    }
    this.#answers.set(command_id, result)
    if (!name.startsWith("get_") && this.loseAnswers-- > 0) throw new TypeError("Failed to fetch")
    return reply(200, { ok: true, result })
  }

  #carryOut(name: string, input: Record<string, unknown>): unknown {
    const session_id = String(input.session_id ?? `ses_${this.stories.size + 1}`)
    if (name === "get_session") return this.#read(session_id, input.before)
    if (name === "get_thread_read") return this.#readThread(session_id, String(input.thread_id))
    if (name !== "submit_turn") return {}
    const story = this.story(session_id)
    if (story.facts.length === 0) story.begin()
    const turn_id = String(input.turn_id)
    const [first] = input.input as { text: string }[]
    story.submit(turn_id, first?.text ?? "")
    return { session_id, thread_id: "thr_1", turn_id, status: "accepted" }
  }

  #read(session_id: string, before: unknown): unknown {
    const story = this.stories.get(session_id)
    if (story === undefined) return undefined
    const end = before === undefined ? story.facts.length : Number(before)
    const from = Math.max(0, end - this.window)
    const next = from === 0 ? {} : { next_cursor: String(from) }
    const threads = story.facts.flatMap(({ type, thread_id }) =>
      type === "thread.started" ? [{ thread_id }] : [],
    )
    const snapshot = { sequence: story.facts.length, threads }
    return { snapshot, history: story.facts.slice(from, end), ...next }
  }

  #readThread(session_id: string, thread_id: string): unknown {
    const { facts } = this.story(session_id)
    const mine = facts.filter((fact) => fact.thread_id === thread_id)
    const settled = new Set(mine.flatMap((fact) => (fact.type === "action.resolved" ? fact.action_id : [])))
    const pending_requests = mine.flatMap((fact) => {
      if (fact.type !== "action.required" || settled.has(fact.action_id)) return []
      const { title, action_type: type, decided_by } = fact.payload
      return [{ kind: "action", id: fact.action_id, type, title, decided_by, turn_id: fact.turn_id }]
    })
    return { read_model: { pending_requests }, sequence: facts.length }
  }

  #stream(session_id: string, after: number, signal: AbortSignal | undefined): Response {
    let mine: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        mine = controller
        this.#streams.set(controller, { session_id, after })
      },
      cancel: () => void (mine && this.#streams.delete(mine)),
    })
    signal?.addEventListener("abort", () => {
      if (mine && this.#streams.delete(mine)) mine.error(new Error("aborted"))
    })
    this.flush()
    return new Response(body)
  }
}

const reply = (status: number, body: unknown): Response => Response.json(body, { status })
