import { describe, expect, it } from "vitest"
import { z } from "zod"
import {
  CommandEnvelope,
  type CommandInput,
  type CommandName,
  commands,
  defineCommand,
  isCommandName,
  Refusal,
  refusalCodes,
} from "../src/index.ts"
import { types } from "./given.ts"
import { digest, onSession, onThread, onTurn, preview, ref } from "./samples.ts"

const input = [{ kind: "text", text: "Hi" }] as const
const onTask = { task_id: "tsk_1" }
const edge = { kind: "dependency", from: "tsk_1", to: "tsk_2" } as const
const onChild = { ...onTurn, subagent_id: "sub_1" }
const queued = { ...onThread, queued_turn_id: "qtn_1" }

/** A minimal input of every command of the specification; one left out does not compile. */
const inputs: { [N in CommandName]: CommandInput<N> } = {
  submit_turn: { input: [...input] },
  interrupt_turn: { ...onSession, reason: "stop" },
  resume_thread: onThread,
  create_task: { ...onSession, objective: "Write it" },
  update_task: onTask,
  start_task: onTask,
  append_task_progress: { ...onTask, progress: {} },
  pause_task: { ...onTask, reason: "later" },
  resume_task: { ...onTask, reason: "now" },
  cancel_task: { ...onTask, reason: "no more" },
  retry_task: { ...onTask, reason: "again" },
  complete_task: { ...onTask, declared_by: "user" },
  fail_task: { ...onTask, category: "tool_error", reason: "broke" },
  list_tasks: onSession,
  get_task: onTask,
  link_tasks: { ...onSession, edge },
  unlink_tasks: { ...onSession, edge },
  respond_action: { action_id: "act_1", decision: "approve" },
  remove_queued_turn: queued,
  promote_queued_turn: queued,
  get_session: onSession,
  get_thread_read: onThread,
  get_tool_inventory: { ...onSession, caller: "agent", policy: "v1", mode: "default" },
  get_execution_environment: onSession,
  spawn_subagent: { ...onTurn, agent: "helper", objective: "Look it up" },
  send_subagent_input: { ...onChild, input: [...input] },
  wait_subagents: { ...onTurn, subagent_ids: ["sub_1"] },
  resume_subagent: onChild,
  close_subagent: onChild,
  list_subagents: onSession,
  export_evidence: onSession,
  export_replay: onSession,
  export_review: onSession,
  evaluate_permission: { ...onSession, operation: { kind: "tool", name: "rm", digest, summary: preview } },
  resolve_permission: { request_id: "req_1", decision: "allow", authority: { kind: "policy", id: "p" } },
  write_process_stdin: { process_id: "prc_1", input: "y" },
  terminate_process: { process_id: "prc_1", reason: "stop" },
  list_jobs: onSession,
  get_job: { job_id: "job_1" },
  cancel_job: { job_id: "job_1", reason: "stop" },
  reconnect_channel: { channel_id: "chn_1", cursor: 0, resume_token: "t" },
  ack_events: { channel_id: "chn_1", cursor: 4 },
}

// Written apart from the table, from the specification.
const specified =
  `submit_turn interrupt_turn resume_thread create_task update_task start_task append_task_progress
  pause_task resume_task cancel_task retry_task complete_task fail_task list_tasks get_task link_tasks unlink_tasks
  respond_action remove_queued_turn promote_queued_turn get_session get_thread_read get_tool_inventory
  get_execution_environment spawn_subagent send_subagent_input wait_subagents resume_subagent close_subagent
  list_subagents export_evidence export_replay export_review evaluate_permission resolve_permission
  write_process_stdin terminate_process list_jobs get_job cancel_job reconnect_channel ack_events`.split(
    /\s+/,
  )
const reads = `list_tasks get_task get_session get_thread_read get_tool_inventory get_execution_environment
  list_subagents list_jobs get_job wait_subagents`.split(/\s+/)
const names = Object.keys(commands) as CommandName[]

describe("the table of commands", () => {
  it("holds the 42 commands of the specification, by name", () => {
    expect(names.toSorted()).toEqual(specified.toSorted())
    expect(names.length).toBe(42)
  })
  it.each(names)("%s changes state unless it is one of the ten reads", (name) => {
    expect(commands[name].mutates).toBe(!reads.includes(name))
  })
  it.each(names)("%s accepts its minimal input", (name) => {
    expect(commands[name].input.parse(inputs[name])).toEqual(inputs[name])
  })
  it.each(names)("%s refuses a field that it does not know", (name) => {
    const parsed = commands[name].input.safeParse({ ...inputs[name], surprise: 1 })
    expect(parsed.error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["surprise"] }])
  })
  it.each(names)("%s refuses each field missing or of a wrong type", (name) => {
    for (const [field, value] of Object.entries(inputs[name])) {
      const { [field]: _, ...rest } = inputs[name] as Record<string, unknown>
      const wrong = typeof value === "object" ? "text" : { wrong: true }
      for (const bad of [rest, { ...rest, [field]: wrong }, { ...rest, [field]: null }]) {
        const parsed = commands[name].input.safeParse(bad)
        expect(parsed.error?.issues[0]?.path[0], `${field}: ${JSON.stringify(bad)}`).toBe(field)
      }
    }
  })
  it.each(names)("%s refuses an input that is no object", (name) => {
    for (const bad of [null, [], "text", 3]) expect(commands[name].input.safeParse(bad).success).toBe(false)
  })
  it.each(names)("%s may be refused only with codes of the one table, each once", (name) => {
    const { refusals, mutates } = commands[name]
    expect(refusals.filter((code) => !refusalCodes.includes(code))).toEqual([])
    expect(new Set(refusals).size).toBe(refusals.length)
    expect(refusals).toEqual(
      expect.arrayContaining(["invalid_input", "unauthorized", "too_large", "unavailable"]),
    )
    expect([refusals.includes("conflict"), refusals.includes("write_failed")]).toEqual([mutates, mutates])
  })
  it.each(names)("%s emits only facts of normalized classes, and a read none", (name) => {
    const { emits, mutates } = commands[name]
    expect(emits.filter((type) => !types.includes(type))).toEqual([])
    if (!mutates) expect(emits).toEqual([])
    // An acknowledgement moves a cursor and is no fact.
    else if (name !== "ack_events") expect(emits.length).toBeGreaterThan(0)
  })
  it("a name is a command only when the table has it", () => {
    expect(["submit_turn", "toString", "__proto__", "Submit_turn", ""].map(isCommandName)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })
  it("a command declared without refusals and facts of its own has the common ones", () => {
    const declared = { doc: "d", input: z.strictObject({}), result: z.object({}) }
    expect(defineCommand({ ...declared, mutates: false })).toMatchObject({
      refusals: ["invalid_input", "unauthorized", "too_large", "unavailable"],
      emits: [],
    })
    expect(
      defineCommand({ ...declared, mutates: true, refusals: ["not_found", "conflict"] }).refusals,
    ).toEqual([
      "invalid_input",
      "unauthorized",
      "too_large",
      "unavailable",
      "conflict",
      "write_failed",
      "not_found",
    ])
  })
})

describe("inputs of single commands", () => {
  const accepts = (name: CommandName, value: unknown) => commands[name].input.safeParse(value).success
  it("a turn needs at least one part of input, and bytes come by reference", () => {
    expect(accepts("submit_turn", { input: [] })).toBe(false)
    expect(accepts("submit_turn", { input: [{ kind: "text", text: "" }] })).toBe(false)
    expect(accepts("submit_turn", { input: [{ kind: "image", ref }] })).toBe(true)
    expect(accepts("submit_turn", { input: [{ kind: "image", bytes: "AAAA" }] })).toBe(false)
  })
  it("a status is not smuggled into an update of a task", () => {
    expect(accepts("update_task", { ...onTask, changes: { objective: "New" } })).toBe(true)
    expect(accepts("update_task", { ...onTask, changes: { status: "completed" } })).toBe(false)
    expect(accepts("update_task", { ...onTask, archive: false })).toBe(false)
  })
  it.each(["session_id", "thread_id", "turn_id"] as const)(
    "[RT-ID-10] a spawn without the parent's %s is invalid input",
    (field) => {
      const { [field]: _, ...rest } = inputs.spawn_subagent
      const issues = commands.spawn_subagent.input.safeParse(rest).error?.issues
      expect(issues?.map(({ path }) => path[0])).toEqual([field])
    },
  )
  it("a human is no authority of resolve_permission", () => {
    const authority = { kind: "human", id: "me" }
    expect(accepts("resolve_permission", { ...inputs.resolve_permission, authority })).toBe(false)
  })
  it("an id that is none is refused, wherever it stands", () => {
    for (const [name, one] of Object.entries(inputs)) {
      for (const field of Object.keys(one).filter((key) => key.endsWith("_id"))) {
        expect(accepts(name as CommandName, { ...one, [field]: "no id" }), `${name} ${field}`).toBe(false)
        expect(accepts(name as CommandName, { ...one, [field]: "constructor" }), `${name} ${field}`).toBe(
          false,
        )
      }
    }
  })
})

describe("envelope and refusal", () => {
  it("a command has an id, a name and an input, and nothing else", () => {
    const one = { command_id: "cmd_1", name: "submit_turn", input: {} }
    expect(CommandEnvelope.parse(one)).toEqual(one)
    for (const bad of [
      { ...one, extra: 1 },
      { ...one, name: "" },
      { ...one, input: [] },
      { ...one, command_id: "a b" },
    ]) {
      expect(CommandEnvelope.safeParse(bad).success).toBe(false)
    }
  })
  it.each(refusalCodes)("%s is a refusal", (code) => {
    const refusal = { code, message: "No.", field: "f", id: "i", state: "s", fix: "Do." }
    expect(Refusal.parse(refusal)).toEqual(refusal)
  })
  it("there are fifteen codes, and no other is one", () => {
    expect(new Set(refusalCodes).size).toBe(15)
    expect(Refusal.safeParse({ code: "teapot", message: "No." }).success).toBe(false)
    expect(Refusal.safeParse({ code: "not_found", message: "" }).success).toBe(false)
    expect(Refusal.safeParse({ code: "not_found", message: "No.", field: undefined }).success).toBe(false)
  })
})
