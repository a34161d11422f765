import type { OutputPart } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { ends, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, fakeTool, linesModel, of, reader } from "./given.ts"

const act = (...calls: object[]) => ({
  calls: [{ id: "p", tool: "AgentProtocolOutput", args: { kind: "act", calls } }],
})
const answer = (message: string) => ({
  calls: [{ id: "p", tool: "AgentProtocolOutput", args: { kind: "answer", message } }],
})

describe("an agent that declares its work", () => {
  it("runs a graph, tells the results and takes the answer", async () => {
    const look = reader("look", { does: ({ at }) => ({ ok: true, output: `files in ${at}` }) })
    const count = reader("count", { does: () => ({ ok: true, output: "three" }) })
    const { model, calls } = linesModel([
      act(
        { id: "a", type: "tool", name: "look", args: { at: "src" }, result: "full" },
        { id: "b", type: "tool", name: "count", depends: "a", result: "full" },
      ),
      answer("Three."),
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([look, count], { protocol: true }) })
    const { session_id } = await submit(runtime, "How many?")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.started").map(({ payload }) => payload.tool)).toEqual(["look", "count"])
    const [message] = calls[1]?.messages ?? []
    expect(message?.parts).toContain("## User request")
    expect(message?.parts).toContain("files in src")
    expect(message?.parts).toContain("three")
    expect(calls[0]?.tools?.map(({ name }) => name)).toEqual(["AgentProtocolOutput"])
    expect(calls[0]?.system).toContain("# Agent Protocol")
    expect(calls[0]?.system).toContain("`look`")
  })

  it("what a declaration says to people is part of the answer and told to the model again", async () => {
    const said = (kind: string, message: string) => ({
      calls: [{ id: "p", tool: "AgentProtocolOutput", args: { kind, message } }],
    })
    const work = { kind: "act", message: "I look.", calls: [{ id: "a", type: "tool", name: "look" }] }
    const { model, calls } = linesModel([
      { text: "One moment.", calls: [{ id: "p", tool: "AgentProtocolOutput", args: work }] },
      said("answer", "Three files."),
      said("done", "Glad to help."),
      said("answer", "Bye."),
    ])
    const agent = agentWith([reader("look")], { protocol: true })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "How many?")
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "Thanks", { session_id })
    await until(runtime, session_id, ends("turn.completed", 2))
    await submit(runtime, "Bye", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed", 3))
    const texts = of(seen, "model.completed").map(({ payload }) =>
      (payload.parts as OutputPart[]).flatMap((part) => (part.kind === "text" ? [part.text] : [])),
    )
    expect(texts).toEqual([["One moment.", "I look."], ["Three files."], ["Glad to help."], ["Bye."]])
    const told = calls.map(({ messages }) => String(messages[0]?.parts))
    expect(told[1]).toContain("Purpose: I look.")
    expect(told[2]).toContain("## Assistant answer\n\nThree files.")
    expect(told[3]).toContain("## Assistant answer\n\nGlad to help.")
  })

  it("a section of the text is not changed by what the declaration says beside it", async () => {
    const look = reader("look")
    const payload = {
      type: "action_graph",
      actions: [
        { type: "action", id: "a", executor: { type: "tool", target: "look" }, context_refs: ["md:part"] },
      ],
    }
    const full = { type: "agent.protocol", version: "1", intent: "execute", payload }
    const { model } = linesModel([
      {
        text: "## user.visible\n\nI look at it.\n\n## part\n\nonly this",
        calls: [{ id: "p", tool: "AgentProtocolOutput", args: full }],
      },
      answer("Done."),
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([look], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    // What the text says already is not said twice.
    expect(of(seen, "model.completed")[0]?.payload.parts).toHaveLength(2)
    expect(look.runs).toHaveLength(1)
  })

  it("[MP-GRAPH-4] a dependent of a failed action does not start", async () => {
    const bad = reader("bad", { does: () => ({ ok: false, category: "tool_error", message: "no" }) })
    const next = reader("next")
    const { model, calls } = linesModel([
      act({ id: "a", type: "tool", name: "bad" }, { id: "b", type: "tool", name: "next", depends: "a" }),
      answer("It failed."),
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([bad, next], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(next.runs).toEqual([])
    expect(calls[1]?.messages[0]?.parts).toContain("dependency_failed")
  })

  it("[MP-CARRIER-1] a declaration that is not valid runs nothing, and the model may repair it", async () => {
    const look = reader("look")
    const { model, calls } = linesModel([
      act({ id: "a", type: "tool", name: "look" }, { id: "a", type: "tool", name: "look" }),
      act({ id: "a", type: "tool", name: "look" }),
      answer("Done."),
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([look], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(look.runs).toHaveLength(1)
    expect(calls[1]?.messages[0]?.parts).toContain("duplicate_id")
  })

  it("gives up after three refused declarations in a row", async () => {
    const wrong = act({ id: "a", type: "tool", name: "nothing" })
    const { model } = linesModel([wrong, wrong, wrong, wrong])
    const { runtime } = await openRuntime(model, { agent: agentWith([], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "protocol_refused" })
    expect(types(seen)).not.toContain("tool.started")
  })

  it.each([
    [
      "that nobody can do",
      { actions: [{ type: "action", id: "a", executor: { type: "tool", capabilities: ["flying"] } }] },
      "no_executor",
    ],
    [
      "in conflict that is to be refused",
      {
        actions: ["a", "b"].map((id) => ({
          type: "action",
          id,
          executor: { type: "tool", target: "send" },
          writes: ["x"],
        })),
      },
      "conflict",
    ],
  ])("[MP-SAFE-1] of a graph with work %s nothing runs", async (_, graph, code) => {
    const send = fakeTool("send")
    const payload = { type: "action_graph", ...graph }
    const whole = { type: "agent.protocol", version: "1", intent: "execute", payload }
    const text = [
      "```json agent-protocol",
      JSON.stringify({ ...whole, conflict_resolution: "refuse" }),
      "```",
    ]
    const { model, calls } = linesModel([{ text: text.join("\n") }, answer("It cannot be done.")])
    const { runtime } = await openRuntime(model, { agent: agentWith([send], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(types(seen)).not.toContain("tool.started")
    expect(calls[1]?.messages[0]?.parts).toContain(code)
  })

  it("[MP-POLICY-1] an action that needs approval waits for a person", async () => {
    const send = fakeTool("send")
    const graph = {
      type: "agent.protocol",
      version: "1",
      intent: "execute",
      payload: {
        type: "action_graph",
        actions: [
          {
            type: "action",
            id: "a",
            executor: { type: "tool", target: "send" },
            requires_approval: true,
          },
        ],
      },
    }
    const text = ["```json agent-protocol", JSON.stringify(graph), "```"].join("\n")
    const { model } = linesModel([{ text }, answer("Sent.")])
    const { runtime } = await openRuntime(model, { agent: agentWith([send], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("action.required"))
    expect(send.runs).toEqual([])
    expect(of(seen, "permission.evaluated")[0]?.payload).toMatchObject({ verdict: "ask" })
  })
})
