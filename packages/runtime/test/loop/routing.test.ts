import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { done, ends, facts, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, of, reader } from "./given.ts"
import { busy, gone, lacking, limited, openModels, phase, played, quick, slow, statuses } from "./models.ts"

const choice = (model: string, provider = "p") => ({ provider, model })
const requests = (seen: readonly Envelope[]) =>
  of(seen, "model.requested").map(({ payload }) => `${payload.model} ${payload.attempt}`)
const routing = (seen: readonly Envelope[]) =>
  types(seen).filter((type) => type.startsWith("routing.") || type === "task.profile.resolved")

describe("the choice of a model", () => {
  it("[RT-ROUTE-1] profile, candidates, decision and request join by their ids", async () => {
    const offers = [
      played("a", [], { unavailable: "No key." }),
      played("b", ["Hello"]),
      played("c", [], { context_window: 10 }),
    ]
    const { runtime } = await openModels(offers)
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [profile] = of(seen, "task.profile.resolved")
    const [candidates] = of(seen, "routing.candidates.resolved")
    const [decided] = of(seen, "routing.decided")
    const [request] = of(seen, "model.requested")
    const { routing_id } = profile?.payload ?? {}
    expect(profile?.payload).toMatchObject({ profile: "answer", needs: [] })
    expect(candidates?.payload).toEqual({
      routing_id,
      candidates: [
        { ...choice("b"), eligible: true },
        { ...choice("a"), eligible: false, reason: "No key." },
        { ...choice("c"), eligible: false, reason: expect.stringContaining("Its window of 10 tokens") },
      ],
    })
    expect(decided?.payload).toEqual({
      routing_id,
      choice: choice("b"),
      reason: "It is the only one that fits.",
      request_id: request?.payload.request_id,
    })
    expect(request?.payload).toMatchObject(choice("b"))
    expect(new Set([profile, candidates, decided, request].map((fact) => fact?.step_id)).size).toBe(1)
  })

  it.each([
    [0, ["task.profile.resolved", "routing.candidates.resolved", "routing.not_possible"]],
    [
      1,
      ["task.profile.resolved", "routing.candidates.resolved", "routing.single_candidate", "routing.decided"],
    ],
    [3, ["task.profile.resolved", "routing.candidates.resolved", "routing.decided"]],
  ])("[RT-EVT-24] the facts of a routing with %i candidates", async (count, expected) => {
    const { runtime } = await openModels(["a", "b", "c"].slice(0, count).map((name) => played(name, [])))
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(
      runtime,
      session_id,
      (all) => ends("turn.completed")(all) || phase("blocked")(all),
    )
    expect(routing(seen)).toEqual(expected)
  })

  it("[RT-EVT-24] every request of a turn is decided; the profile is told once", async () => {
    const model = played("a", [{ calls: "look" }, "Seen."])
    const { runtime } = await openModels([model, played("b", [])], { agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "task.profile.resolved").map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ profile: "work", needs: ["tools"] }),
    ])
    expect(of(seen, "routing.candidates.resolved")).toHaveLength(2)
    expect(of(seen, "routing.decided").map(({ payload }) => payload.request_id)).toEqual(
      of(seen, "model.requested").map(({ payload }) => payload.request_id),
    )
  })

  it("[RT-ROUTE-2] all are excluded for different reasons: no request, blocked, every exclusion named", async () => {
    const offers = [
      played("a", [], { unavailable: "No key." }),
      played("b", [], { capabilities: [] }),
      played("c", [], { context_window: 10 }),
    ]
    const { runtime } = await openModels(offers, { agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, phase("blocked"))
    const exclusions = [
      { ...choice("a"), reason: "No key." },
      { ...choice("b"), reason: "It has no tools." },
      { ...choice("c"), reason: expect.stringContaining("too small") },
    ]
    expect(of(seen, "routing.not_possible")[0]?.payload).toMatchObject({ exclusions })
    const [blocked] = statuses(seen, "blocked")
    for (const part of ["p/a: No key.", "p/b: It has no tools.", "p/c: Its window"])
      expect(blocked?.detail).toContain(part)
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const after = await until(runtime, session_id, ends("turn.failed"))
    expect(of(after, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
    expect(of(after, "model.requested")).toEqual([])
    expect(offers.flatMap(({ asked }) => asked)).toEqual([])
  })

  it("[RT-ROUTE-2] a blocked turn that is looked at again and finds the same adds nothing", async () => {
    const { runtime } = await openModels([])
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, phase("blocked"))
    for (const text of ["and", "so"]) await submit(runtime, text, { session_id })
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, phase("blocked", 2))
    expect(of(seen, "routing.not_possible")).toHaveLength(2)
  })
})

describe("a failed request", () => {
  it("[RT-STAT-10] a retry is told with its number and cause: two of them", async () => {
    const model = played("a", [busy(), busy(), "Hello"])
    const { runtime } = await openModels([model])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(statuses(seen, "retrying").map(({ metadata }) => metadata)).toEqual(
      [2, 3].map((number) => ({
        kind: "retry",
        number,
        cause: "It is busy.",
        next_try_at: expect.stringMatching(/Z$/),
      })),
    )
    expect(requests(seen)).toEqual(["a 1", "a 2", "a 3"])
    const asked = of(seen, "model.requested")
    expect(new Set(asked.map(({ step_id }) => step_id)).size).toBe(1)
    expect(new Set(asked.map(({ payload }) => payload.request_id)).size).toBe(3)
  })

  it("[RT-STAT-10] a fallback is told with its number and cause", async () => {
    const { runtime } = await openModels([played("a", [gone]), played("b", ["Hello"])])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(statuses(seen, "retrying").map(({ metadata }) => metadata)).toEqual([
      { kind: "fallback", number: 1, cause: "It is gone.", to: choice("b") },
    ])
  })

  it.each([1, 2])("[RT-EVT-24] %i fallbacks are facts with from, to, cause and request", async (count) => {
    const names = ["a", "b", "c"].slice(0, count + 1)
    const offers = names.map((name, at) => played(name, at < count ? [gone] : ["Hello"]))
    const { runtime } = await openModels(offers)
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const asked = of(seen, "model.requested")
    const { routing_id } = of(seen, "routing.decided")[0]?.payload ?? {}
    expect(of(seen, "routing.fallback.applied").map(({ payload }) => payload)).toEqual(
      names.slice(1).map((name, at) => ({
        routing_id,
        from: choice(names[at] ?? ""),
        to: choice(name),
        cause: "It is gone.",
        number: at + 1,
        request_id: asked[at + 1]?.payload.request_id,
      })),
    )
    expect(new Set(asked.map(({ step_id }) => step_id)).size).toBe(1)
  })

  it("[RT-ROUTE-3] every candidate fails: each is tried as often as allowed, and the turn ends", async () => {
    const offers = [played("a", Array(9).fill(busy())), played("b", Array(9).fill(busy()))]
    const { runtime } = await openModels(offers)
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(requests(seen)).toEqual(["a 1", "a 2", "a 3", "b 4", "b 5", "b 6"])
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({
      category: "provider_error",
      reason: "p/b: It is busy. The other 1 were tried as well.",
    })
  })

  it.each([
    [false, ["a 1"]],
    [true, ["a 1", "b 2"]],
  ])("[RT-ROUTE-3] a pinned model is down, replaceable: %s", async (replaceable, expected) => {
    const offers = [played("b", []), played("a", [gone])]
    const agent = agentWith([], { model: { ...choice("a"), replaceable } })
    const { runtime } = await openModels(offers, { agent })
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends(replaceable ? "turn.completed" : "turn.failed"))
    expect(requests(seen)).toEqual(expected)
  })

  it("a model that failed for good is not asked again in the same turn", async () => {
    const offers = [played("a", [gone]), played("b", [{ calls: "look" }, "Seen."])]
    const { runtime } = await openModels(offers, { agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(requests(seen)).toEqual(["a 1", "b 2", "b 1"])
    expect(of(seen, "routing.single_candidate")[0]?.payload.exclusions).toEqual([
      { ...choice("a"), reason: "It failed earlier in this turn: It is gone." },
    ])
  })

  it.each([
    ["breaks off", { cut: "Hel" }, "cut_stream"],
    ["fails", { ...(busy() as object), after: "Hel" }, "provider_error"],
  ])(
    "[RT-MOD-3] the text of a request that %s stays partial and is told to nobody",
    async (_, take, category) => {
      const first = played("a", [take as { cut: string }, gone])
      const second = played("b", ["Hello"])
      const { runtime } = await openModels([first, second])
      const { session_id } = await submit(runtime, "hi")
      const seen = await until(runtime, session_id, ends("turn.completed"))
      expect(of(seen, "model.failed")[0]?.payload).toMatchObject({ category, parts: [{ text: "Hel" }] })
      expect(of(seen, "model.completed").map(({ payload }) => payload.parts)).toEqual([
        [{ kind: "text", part_id: "a", text: "Hello" }],
      ])
      expect([...first.asked, ...second.asked].join()).not.toContain("Hel")
    },
  )

  it("[RT-REC-4] after a restart the tries are read from the log", async () => {
    const first = await openModels([played("a", [busy()])], { patience: slow })
    const begun = await submit(first.runtime, "hi")
    await until(first.runtime, begun.session_id, phase("retrying"))
    await first.runtime.close()
    const model = played("a", [busy(), busy()])
    const { runtime } = await openModels([model], { directory: first.directory })
    const seen = await until(runtime, begun.session_id, ends("turn.failed"))
    expect(requests(seen)).toEqual(["a 1", "a 2", "a 3"])
    expect(new Set(of(seen, "model.requested").map(({ step_id }) => step_id)).size).toBe(1)
    expect(of(seen, "routing.decided")).toHaveLength(1)
  })

  it("[RT-CMD-8] an interrupt ends the wait for a retry", async () => {
    const model = played("a", [busy()])
    const { runtime } = await openModels([model], { patience: slow })
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, phase("retrying"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await submit(runtime, "again", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(requests(seen)).toEqual(["a 1", "a 1"])
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
  })
})

describe("what is missing", () => {
  it.each(["credential", "quota"] as const)(
    "[RT-STAT-8] a missing %s blocks the turn and is named",
    async (missing) => {
      const model = played("a", [lacking(missing)])
      const first = await openModels([model])
      const { session_id } = await submit(first.runtime, "hi")
      const seen = await until(first.runtime, session_id, phase("blocked"))
      expect(statuses(seen, "blocked")).toEqual([
        expect.objectContaining({ detail: `No ${missing}.`, metadata: { missing } }),
      ])
      expect(of(seen, "turn.failed")).toEqual([])
      await submit(first.runtime, "and?", { session_id })
      await first.runtime.close()
      expect(model.asked).toHaveLength(1)
      const { runtime } = await openModels([played("a", ["Hello"])], { directory: first.directory })
      const after = await until(runtime, session_id, ends("turn.completed", 2))
      expect(of(after, "turn.failed")).toEqual([])
    },
  )

  it("[RT-STAT-8] a pinned model whose missing credential was supplied answers to the end of the turn", async () => {
    const others = [played("b", [])]
    const tools = { agent: agentWith([reader("look")], { model: { ...choice("a"), replaceable: false } }) }
    const first = await openModels([...others, played("a", [lacking("credential")])], tools)
    const { session_id } = await submit(first.runtime, "Go")
    await until(first.runtime, session_id, phase("blocked"))
    await first.runtime.close()
    const { directory } = first
    const offers = [...others, played("a", [{ calls: "look" }, "Seen."])]
    const { runtime } = await openModels(offers, { ...tools, directory })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(requests(seen)).toEqual(["a 1", "a 1", "a 1"])
  })

  it("[RT-STAT-8] a missing dependency, here any model, blocks the turn and is named", async () => {
    const { runtime } = await openModels([])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(statuses(seen, "blocked")[0]).toMatchObject({
      detail: "No model is configured. Add one to the configuration.",
      metadata: { missing: "dependency" },
    })
    expect(of(facts(runtime, session_id), "thread.updated").at(-1)?.payload).toMatchObject({
      status: "blocked",
    })
  })

  it("[RT-STAT-8] what waits for a model is not answered by one that only stands in, in that session", async () => {
    const demo = () => played("demo", [], { stands_in: true })
    const first = await openModels([played("a", [], { unavailable: "No key." })])
    const { session_id } = await submit(first.runtime, "Go")
    await until(first.runtime, session_id, phase("blocked"))
    await first.runtime.close()
    const model = demo()
    const { runtime } = await openModels([model], { directory: first.directory })
    const seen = await until(runtime, session_id, phase("blocked", 2))
    expect(statuses(seen, "blocked").at(-1)?.detail).toContain("this session is for p/a")
    expect(model.asked).toEqual([])
    const { session_id: fresh } = await submit(runtime, "Hello")
    await until(runtime, fresh, ends("turn.completed"))
    expect(model.asked).toHaveLength(1)
  })

  it("[RT-STAT-7] a quota of the provider is waited for, with the time of the next try, and work goes on by itself", async () => {
    const model = played("a", [limited(5), "Hello"])
    const { runtime } = await openModels([model])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [hit] = of(seen, "rate_limit.hit")
    expect(statuses(seen, "waiting_resource").map(({ metadata }) => metadata)).toEqual([
      {
        kind: "retry",
        number: 2,
        cause: "Too many requests.",
        next_try_at: hit?.payload.next_try_at,
        resource: "quota",
      },
    ])
    expect(of(seen, "thread.updated").map(({ payload }) => payload.status)).toEqual([
      "active",
      "waiting",
      "active",
    ])
    expect(requests(seen)).toEqual(["a 1", "a 2"])
  })

  it("one model without prices is enough", async () => {
    const { runtime } = await openRuntime(played("a", [busy(), "Hello"]).via, { patience: quick })
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(requests(seen)).toEqual(["a 1", "a 2"])
    expect(of(seen, "cost.estimated")).toEqual([])
  })

  it.each([99_999_999_999_999_000, Number.POSITIVE_INFINITY])(
    "a wait of %d ms that a provider asks for is waited for as long as a time can be told",
    async (wait) => {
      const { runtime } = await openModels([played("a", [limited(wait)])])
      const { session_id } = await submit(runtime, "hi")
      const seen = await until(runtime, session_id, phase("waiting_resource"))
      expect(of(seen, "rate_limit.hit")[0]?.payload.next_try_at).toMatch(/^\d{4}-/)
    },
  )
})
