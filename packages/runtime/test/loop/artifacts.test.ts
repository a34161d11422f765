import { describe, expect, it } from "vitest"
import { done, ends, facts, refused, submit, until } from "../harness.ts"
import { openWork } from "../people/given.ts"
import { linesModel, of, outputs } from "./given.ts"

const write = (args: Record<string, unknown>, id = "w") => ({
  calls: [{ id, tool: "write_artifact", args: { title: "Report", ...args } }],
})
const body = "A sentence that only the artifact's bytes hold."
const long = `# Report\n${"filler\n".repeat(500)}${body}\n`

describe("artifacts in a turn", () => {
  it("[RT-EVT-14] produced, updated, and a change by a person: id, version and refs, no bytes", async () => {
    const { model } = linesModel([write({ content: long }), { text: "Made." }])
    const { runtime } = await openWork(model)
    const { session_id } = await submit(runtime, "Write a report")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [fact] = of(seen, "artifact.changed")
    const { artifact_id = "" } = (fact?.payload ?? {}) as { artifact_id?: string }
    expect(fact).toMatchObject({
      tool_call_id: of(seen, "tool.started")[0]?.tool_call_id,
      payload: { change: "produced", version: "1", kind: "document", validation_issues: "unknown" },
    })
    const about = { session_id }
    const content = Buffer.from(`${long}More.\n`)
    await runtime.artifacts?.write({ about, author: "person", artifact_id, base_version: "1", content })
    const after = await until(runtime, session_id, ends("artifact.changed", 2))
    expect(of(after, "artifact.changed")[1]?.payload).toMatchObject({
      artifact_id,
      change: "updated",
      version: "2",
      refs: [{ uri: `artifact:${artifact_id}/2`, kind: "artifact", bytes: content.byteLength }],
      diff_ref: { media_type: "text/x-diff" },
    })
  })

  it("[RT-EVT-14] a foreign artifact that a tool reads is observed, and so is its next version", async () => {
    let artifact_id = ""
    const { model } = linesModel([
      write({ content: "first" }),
      { text: "Made." },
      () => ({ calls: [{ id: "r", tool: "read_artifact", args: { artifact_id } }] }),
      { text: "Read." },
    ])
    const { runtime } = await openWork(model)
    const one = await submit(runtime, "Make")
    await until(runtime, one.session_id, ends("turn.completed"))
    artifact_id = runtime.artifacts?.list({ limit: 1 })[0]?.artifact_id ?? ""
    const two = await submit(runtime, "Read it")
    await until(runtime, two.session_id, ends("turn.completed"))
    const about = { session_id: one.session_id }
    const content = Buffer.from("second")
    await runtime.artifacts?.write({ about, author: "person", artifact_id, base_version: "1", content })
    const seen = facts(runtime, two.session_id)
    const told = of(seen, "artifact.changed").map(({ payload }) => `${payload.change} ${payload.version}`)
    expect(told).toEqual(["observed 1", "observed 2"])
  })

  it("[RT-ID-11] log and snapshots hold ids and refs of artifacts only, and the id is its owner's", async () => {
    let artifact_id = ""
    const { model } = linesModel([
      { text: "Hello." },
      () => ({ calls: [{ id: "r", tool: "request_review", args: { artifact_id } }] }),
    ])
    const { runtime } = await openWork(model)
    const { session_id, thread_id } = await submit(runtime, "Hello")
    await until(runtime, session_id, ends("turn.completed"))
    const about = { session_id }
    const made = await runtime.artifacts?.write({
      about,
      author: "person",
      title: "R",
      content: Buffer.from(long),
    })
    artifact_id = made?.ok ? made.artifact_id : ""
    await submit(runtime, "Let me review it", { session_id, thread_id })
    const seen = await until(runtime, session_id, ends("action.required"))
    const snapshot = await done(runtime, "get_session", { session_id })
    const thread = await done(runtime, "get_thread_read", { session_id, thread_id })
    expect(JSON.stringify([seen, snapshot, thread])).not.toContain(body)
    expect(JSON.stringify(seen)).toContain(artifact_id)
    expect(of(seen, "artifact.changed")[0]?.payload).toMatchObject({ artifact_id, owner: "artifacts" })
    expect(runtime.artifacts?.get(artifact_id)?.artifact_id).toBe(artifact_id)
  })

  it("the model that writes over a newer version is told which one to start from", async () => {
    let artifact_id = ""
    const { model, calls } = linesModel([
      write({ content: "1" }, "a"),
      () => write({ content: "2", artifact_id }, "b"),
      () => write({ content: "3", artifact_id, base_version: "1" }, "c"),
    ])
    const { runtime } = await openWork(model, {
      tools: [],
      agent: {
        hooks: [
          {
            kind: "function",
            name: "look",
            on: "after_tool",
            run: () => {
              artifact_id = runtime.artifacts?.list({ limit: 1 })[0]?.artifact_id ?? ""
            },
          },
        ],
      },
    })
    const { session_id } = await submit(runtime, "Write")
    await until(runtime, session_id, ends("turn.completed"))
    expect(outputs(calls[3])[0]).toContain("Read version 2 and start from it.")
  })
})

describe("completion bound to artifacts and evidence", () => {
  const demanding = (demands: unknown) => ({ options: { demands } })

  it("[RT-STAT-18] a turn that demands an artifact reads blocked until it is supplied, also after a restart", async () => {
    const first = await openWork(linesModel([{ text: "Done, the report is finished." }]).model)
    const turn = await submit(first.runtime, "Report", demanding({ artifact: { kind: "table" } }))
    const { session_id, thread_id, turn_id } = turn
    const blocked = await until(first.runtime, session_id, (seen) =>
      of(seen, "run.status").some(({ payload }) => payload.phase === "blocked"),
    )
    expect(of(blocked, "run.status").at(-1)?.payload).toMatchObject({
      metadata: { missing: "artifact" },
      detail: "The turn demands an artifact (kind table).",
    })
    await first.runtime.close()
    const { model, calls } = linesModel([])
    const { runtime } = await openWork(model, { directory: first.directory })
    const read = await done<{ read_model: { status: string } }>(runtime, "get_thread_read", {
      session_id,
      thread_id,
    })
    expect(read.read_model.status).toBe("blocked")
    const about = { session_id, turn_id }
    const wrong = { about, author: "person", title: "Text", content: Buffer.from("x") } as const
    await runtime.artifacts?.write(wrong)
    expect(of(facts(runtime, session_id), "turn.completed")).toEqual([])
    await runtime.artifacts?.write({ ...wrong, title: "Table", media_type: "text/csv" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(
      of(seen, "run.status")
        .slice(-2)
        .map(({ payload }) => payload.phase),
    ).toEqual(["running", "completed"])
    expect(calls).toEqual([])
  })

  it("[RT-STAT-18] a turn that makes what it demands completes by itself, and the model knew of the demand", async () => {
    const { model, calls } = linesModel([write({ content: "a" }), { text: "Made." }])
    const { runtime } = await openWork(model)
    const { session_id } = await submit(runtime, "Report", demanding({ artifact: true }))
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "run.status").map(({ payload }) => payload.phase)).not.toContain("blocked")
    expect(calls[0]?.system).toContain("This turn is complete only when there is an artifact.")
  })

  it("[RT-STAT-18] evidence that is demanded is not inferred from an answer, and an interrupt ends the wait", async () => {
    const { model } = linesModel([{ text: "All tests pass, verified." }])
    const { runtime } = await openWork(model)
    const { session_id } = await submit(runtime, "Prove", demanding({ evidence: { verdict: "passed" } }))
    await until(runtime, session_id, (seen) =>
      of(seen, "run.status").some(({ payload }) => payload.phase === "blocked"),
    )
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
  })

  it("a demand that cannot be read is refused, not ignored", async () => {
    const { runtime } = await openWork(linesModel([]).model)
    const input = {
      input: [{ kind: "text", text: "x" }],
      create: "session",
      ...demanding({ artefact: true }),
    }
    expect(await refused(runtime, "submit_turn", { input })).toMatchObject({
      code: "invalid_input",
      field: "input.options.demands",
    })
  })
})
