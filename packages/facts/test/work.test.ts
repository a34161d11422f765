import { describe, expect, it } from "vitest"
import {
  actionEnded,
  actionTypes,
  type Envelope,
  type EventOfType,
  failureCategories,
  hookEnded,
  processEnded,
  requestSettled,
  toolCallEnded,
} from "../src/index.ts"
import { at, fact, given, only } from "./given.ts"
import { digest, preview, ref } from "./samples.ts"

const other = { uri: "blob:2", kind: "blob" } as const

describe("tool calls", () => {
  const callOf = (...facts: Envelope[]) => only(given(...facts).entities.toolCalls)
  const started = fact("tool.started", { payload: { key: "k1" } })
  const piece = (chunk: string) => ({ ...fact("tool.args"), payload: { final: false, chunk } }) as Envelope
  const final = fact("tool.args")
  const result = fact("tool.result")
  const failed = fact("tool.failed", { payload: { next: "fix the path", output_refs: [other], preview } })

  it("pieces of input are joined until the final input replaces them", () => {
    expect(callOf(started, piece('{"a"'), piece(":1}")).partial_args).toBe('{"a":1}')
    expect(callOf(started, piece('{"a"'), final)).toMatchObject({
      partial_args: "",
      input_ref: ref,
      input: preview,
    })
  })
  it("progress adds up", () => {
    const half = fact("tool.progress", { payload: { note: "half", done: 1, total: 2 } })
    const next = fact("tool.progress", { payload: { done: 2 } })
    expect(callOf(started, half, next)).toMatchObject({
      status: "running",
      progress: { note: "half", done: 2, total: 2 },
    })
  })
  it("a result ends the call with its refs", () => {
    expect(callOf(started, final, result)).toEqual({
      tool_call_id: "tcl_1",
      step_id: "stp_1",
      turn_id: "trn_1",
      thread_id: "thr_1",
      status: "done",
      opened: 1,
      tool: "write_file",
      owner: "builtin",
      effect: "once",
      key: "k1",
      partial_args: "",
      input_ref: ref,
      input: preview,
      output_refs: [ref],
      preview,
      started_at: at(1),
      ended_at: at(3),
      late: 0,
    })
  })
  it.each(failureCategories)("a call fails as %s, with what was seen", (category) => {
    const end = fact("tool.failed", { payload: { category, next: "x", output_refs: [other], preview } })
    expect(callOf(started, end)).toMatchObject({
      status: "failed",
      failure: { category, message: "No such file.", next: "x" },
      output_refs: [other],
      preview,
      ended_at: at(2),
    })
  })
  it("there are ten failure categories", () => expect(new Set(failureCategories).size).toBe(10))
  it("a call opens once", () => {
    const again = fact("tool.started", { payload: { tool: "other" } })
    expect(callOf(started, again)).toEqual({ ...callOf(started), late: 1 })
  })
  it.each([
    ["done", result],
    ["failed", failed],
  ] as const)("[RT-STAT-20] a tool call that is %s takes no second end and no late piece", (status, end) => {
    const before = callOf(started, end)
    expect(before.status).toBe(status)
    expect(toolCallEnded(before)).toBe(true)
    const later = [started, piece("x"), final, fact("tool.progress"), result, failed]
    expect(callOf(started, end, ...later)).toEqual({ ...before, late: 6 })
  })
  it("a running call has not ended", () => expect(toolCallEnded(callOf(started))).toBe(false))
  it("[RT-ID-8] two calls with the same tool and arguments are two, and their results are not crossed", () => {
    const two = { step_id: "stp_2", tool_call_id: "tcl_2" }
    const { tcl_1, tcl_2 } = given(
      started,
      fact("tool.started", two),
      fact("tool.result", { ...two, payload: { output_refs: [other, ref] } }),
      result,
    ).entities.toolCalls
    expect(tcl_1).toMatchObject({ step_id: "stp_1", output_refs: [ref] })
    expect(tcl_2).toMatchObject({ step_id: "stp_2", output_refs: [other, ref] })
  })
  it("the catalog of a turn is resolved once", () => {
    const first = fact("tool.catalog.resolved", { payload: { tools: [{ name: "ls", available: true }] } })
    const second = fact("tool.catalog.resolved", { payload: { mode: "plan" } })
    expect(given(first, second).entities.catalogs).toEqual(given(first).entities.catalogs)
  })
})

describe("actions", () => {
  const actionOf = (...facts: Envelope[]) => only(given(...facts).entities.actions)
  const place = { thread_id: "thr_1", turn_id: "trn_1", step_id: "stp_1", tool_call_id: "tcl_1" }
  const required = fact("action.required", place)
  const resolved = fact("action.resolved")
  const without = (reason: "cancelled" | "expired") =>
    fact("action.resolved", { payload: { reason, decision: "none", decider: { kind: "runtime" } } })

  it("an open action knows its place", () => {
    const more = { task_id: "tsk_1", subagent_id: "sub_1" }
    const action = actionOf(fact("action.required", { ...place, ...more }))
    expect(action).toMatchObject({
      ...place,
      ...more,
      action_id: "act_1",
      status: "pending",
      required_at: at(1),
    })
    expect(actionEnded(action)).toBe(false)
  })
  it("a repeat updates the open request and not its time", () => {
    const again = fact("action.required", { ...place, payload: { title: "Really?" } })
    expect(actionOf(required, again)).toMatchObject({
      status: "pending",
      required_at: at(1),
      request: { title: "Really?" },
    })
  })
  it.each([
    ["answered", resolved],
    ["cancelled", without("cancelled")],
    ["expired", without("expired")],
  ] as const)("[RT-STAT-20] an action that was %s is not settled again", (reason, end) => {
    const before = actionOf(required, end)
    expect(before).toMatchObject({ ...place, status: "resolved", resolution: { reason }, resolved_at: at(2) })
    expect(actionEnded(before)).toBe(true)
    expect(actionOf(required, end, required, resolved)).toEqual({ ...before, late: 2 })
  })
  it("an answer whose question is not known says where it belongs", () => {
    expect(actionOf(fact("action.resolved", place))).toMatchObject({ ...place, status: "resolved" })
    expect(actionOf(required, resolved)).toMatchObject(place)
  })
  it("there are nine types of action", () => expect(new Set(actionTypes).size).toBe(9))
})

describe("permission", () => {
  const place = { thread_id: "thr_1", turn_id: "trn_1", tool_call_id: "tcl_1", action_id: "act_1" }
  const requested = fact("permission.requested", place)
  const resolved = (outcome: "allowed" | "denied" | "cancelled" | "expired") =>
    fact("permission.resolved", { payload: { outcome } })
  const requestOf = (...facts: Envelope[]) => only(given(...facts).entities.permissionRequests)

  it("a verdict once recorded is never rewritten", () => {
    const { action_id: _, ...at_call } = place
    const first = fact("permission.evaluated", at_call)
    const second = fact("permission.evaluated", { payload: { verdict: "allow" } })
    expect(only(given(first, second).entities.evaluations)).toEqual({
      evaluation_id: "evl_1",
      verdict: "ask",
      explained: first.payload,
      ...at_call,
      at: at(1),
    })
  })
  it.each(["allowed", "denied", "cancelled", "expired"] as const)("a request is %s once", (outcome) => {
    const before = requestOf(requested, resolved(outcome))
    expect(before).toMatchObject({ ...place, request_id: "req_9", status: outcome, decided: { outcome } })
    expect(requestSettled(before)).toBe(true)
    expect(requestOf(requested, resolved(outcome), requested, resolved("allowed"))).toEqual({
      ...before,
      late: 2,
    })
  })
  it("an open request is pending, once", () => {
    const open = requestOf(requested)
    expect(open).toMatchObject({ ...place, status: "pending", asked: requested.payload })
    expect(requestSettled(open)).toBe(false)
    expect(requestSettled({ ...open, status: "unknown" })).toBe(false)
    expect(requestOf(requested, fact("permission.requested"))).toEqual({ ...open, late: 1 })
  })
  it("a decision whose request is not known says where it belongs", () => {
    expect(requestOf(fact("permission.resolved", place))).toMatchObject({ ...place, status: "allowed" })
  })
  it("a change of policy keeps the mode unless it names one", () => {
    const mode = fact("policy.changed", { payload: { mode: { old: "default", new: "plan" } } })
    const rules = fact("policy.changed", { payload: { new_version: "v3", source: "host" } })
    expect(only(given(mode, rules).entities.policies)).toEqual({
      version: "v3",
      mode: "plan",
      source: "host",
      changed_at: at(2),
    })
    expect(Object.keys(given(mode, { ...rules, session_id: "ses_1" }).entities.policies)).toEqual([
      "runtime",
      "ses_1",
    ])
  })
})

describe("sandbox", () => {
  const applied = fact("sandbox.applied", { thread_id: "thr_1", tool_call_id: "tcl_1" })
  const violation = fact("sandbox.violation", { thread_id: "thr_1", tool_call_id: "tcl_1" })
  it("a boundary keeps its violations", () => {
    expect(only(given(applied, violation, violation).entities.boundaries)).toEqual({
      boundary: applied.payload,
      thread_id: "thr_1",
      tool_call_id: "tcl_1",
      applied_at: at(1),
      violations: [
        { event_id: "evt_2", operation: "write", target: "/etc/x", profile: "strict" },
        { event_id: "evt_3", operation: "write", target: "/etc/x", profile: "strict" },
      ],
    })
    expect(only(given(violation, applied).entities.boundaries).violations.length).toBe(1)
  })
  it("it is that of the process, else of the call, else of the session", () => {
    const ofProcess = fact("sandbox.applied", { tool_call_id: "tcl_1", payload: { process_id: "prc_1" } })
    const keys = Object.keys(given(ofProcess, applied, fact("sandbox.applied")).entities.boundaries)
    expect(keys).toEqual(["prc_1", "tcl_1", "ses_1"])
  })
})

describe("hooks", () => {
  const hookOf = (...facts: Envelope[]) => only(given(...facts).entities.hookRuns)
  const place = { thread_id: "thr_1", turn_id: "trn_1", tool_call_id: "tcl_1" }
  const started = fact("hook.started", { ...place, payload: { failure_policy: "open" } })
  const rewrite = { original_ref: ref, new_ref: other }
  const completed = fact("hook.completed", {
    ...place,
    payload: { verdict: "deny", rewrite, failure_policy: "open" },
  })
  const failed = fact("hook.failed", { ...place, payload: { failure_policy: "open" } })

  it("a hook starts once", () => {
    expect(hookOf(started)).toMatchObject({
      ...place,
      status: "running",
      point: "before_tool",
      failure_policy: "open",
    })
    expect(hookOf(started, started)).toEqual({ ...hookOf(started), late: 1 })
    expect(hookEnded(hookOf(started))).toBe(false)
  })
  it.each([
    ["completed", completed, { verdict: "deny", rewrite, duration_ms: 3 }],
    ["failed", failed, { failure: { cause: "threw", message: "Oops.", effect: "blocked" }, duration_ms: 3 }],
  ] as const)("%s, it takes nothing more", (status, end, said) => {
    const before = hookOf(started, end)
    expect(before).toMatchObject({ ...place, status, point: "before_tool", hook: "guard", ...said })
    expect(hookEnded(before)).toBe(true)
    expect(hookOf(started, end, started, completed, failed)).toEqual({ ...before, late: 3 })
  })
})

describe("processes", () => {
  const processOf = (...facts: Envelope[]) => only(given(...facts).entities.processes)
  const started = fact("process.started", { turn_id: "trn_1", tool_call_id: "tcl_1" })
  const output = (channel: "stdout" | "stderr" | "pty", offset: number, bytes: number, of?: typeof ref) =>
    fact("process.output", { payload: { channel, offset, bytes, ...(of ? { ref: of } : {}) } })
  const ends = [
    ["completed", fact("process.completed", { payload: { exit_code: 3 } })],
    ["failed", fact("process.failed", { payload: { signal: "SIGKILL" } })],
    ["terminated", fact("process.terminated")],
  ] as const

  it("bytes are counted per channel, a repeated chunk once", () => {
    const process = processOf(
      started,
      output("stdout", 0, 10),
      output("stdout", 10, 5, ref),
      output("stdout", 0, 10),
      output("stderr", 0, 2, other),
      output("pty", 1, 1),
    )
    expect(process.output).toEqual({ stdout: 15, stderr: 2, pty: 2 })
    expect(process.output_refs).toEqual([ref, other])
    expect(process).toMatchObject({ status: "running", turn_id: "trn_1", tool_call_id: "tcl_1" })
  })
  it("input is counted, and closes stdin when it says so", () => {
    const input = (bytes: number, closes: boolean) => fact("process.input", { payload: { bytes, closes } })
    expect(processOf(started, input(3, false), input(4, false))).toMatchObject({
      stdin: "open",
      stdin_bytes: 7,
    })
    expect(processOf(started, input(3, false), input(0, true))).toMatchObject({
      stdin: "closed",
      stdin_bytes: 3,
    })
  })
  it.each(ends)("[RT-STAT-20] a process that is %s takes no second end and no late output", (status, end) => {
    const before = processOf(started, end)
    expect(before).toMatchObject({
      status,
      stdin: "closed",
      exit_code: end.payload.exit_code,
      ended: end.payload,
      started_at: at(1),
      ended_at: at(2),
    })
    expect(processEnded(before)).toBe(true)
    const later = [started, output("stdout", 0, 9), fact("process.input"), ...ends.map(([, one]) => one)]
    expect(processOf(started, end, ...later)).toEqual({ ...before, late: 6 })
  })
  it("an exit code that was not observed reads unknown, and a signal is named", () => {
    expect(processOf(started, ends[1][1])).toMatchObject({ exit_code: "unknown", signal: "SIGKILL" })
  })
  it("the end names the whole output; without that the chunks stand", () => {
    const output_end = { stdout_bytes: 1, stderr_bytes: 0, complete: true, refs: [other] }
    const end = fact("process.completed", { payload: { output: output_end } })
    expect(processOf(started, output("stdout", 0, 1, ref), end).output_refs).toEqual([other])
    expect(processOf(started, output("stdout", 0, 1, ref), fact("process.completed")).output_refs).toEqual([
      ref,
    ])
  })
  it("a process that runs, or of which only output is known, has not ended", () => {
    expect(processEnded(processOf(started))).toBe(false)
    expect(processEnded(processOf(output("stdout", 0, 1)))).toBe(false)
    expect(processOf(started, started)).toEqual({ ...processOf(started), late: 1 })
  })
})

describe("routing", () => {
  const routingOf = (...facts: Envelope[]) => only(given(...facts).entities.routings)
  const place = { turn_id: "trn_1", task_id: "tsk_1" }
  const profile = fact("task.profile.resolved", place)
  const decided = fact("routing.decided")
  const fallback = (n: number) =>
    fact("routing.fallback.applied", { payload: { number: n, request_id: `req_${n}` } })

  it("a decision and two fallbacks are told in order", () => {
    const routing = routingOf(profile, fact("routing.candidates.resolved"), decided, fallback(2), fallback(3))
    expect(routing).toMatchObject({
      ...place,
      thread_id: "thr_1",
      status: "decided",
      profile: { profile: "coding", needs: ["tools"] },
      candidates: [{ eligible: true }],
      choice: { provider: "acme", model: "m2" },
      reason: "rate limit",
      request_ids: ["req_1", "req_2", "req_3"],
      single_candidate: false,
    })
    expect(routing.fallbacks.map(({ number }) => number)).toEqual([2, 3])
  })
  it("no candidate: not possible, and nothing chosen", () => {
    const routing = routingOf(profile, fact("routing.not_possible"))
    expect(routing).toMatchObject({ status: "not_possible", reason: "none fits", request_ids: [] })
    expect(routing.choice).toBeUndefined()
  })
  it("the only candidate is said to be the only one", () => {
    expect(routingOf(profile, fact("routing.single_candidate"), decided)).toMatchObject({
      status: "decided",
      single_candidate: true,
    })
  })
})

describe("cost", () => {
  const recorded = (request_id: string, amount: number | "unknown") =>
    fact("cost.recorded", {
      turn_id: "trn_1",
      thread_id: "thr_1",
      task_id: "tsk_1",
      payload: { request_id, amount },
    })
  const estimated = fact("cost.estimated")

  it("an estimate is followed by one record", () => {
    const cost = only(given(estimated, recorded("req_1", 0.25)).entities.costs)
    expect(cost).toMatchObject({
      status: "recorded",
      estimated: 0.5,
      amount: 0.25,
      thread_id: "thr_1",
      turn_id: "trn_1",
      task_id: "tsk_1",
    })
    const later = [estimated, recorded("req_1", 9)]
    expect(only(given(estimated, recorded("req_1", 0.25), ...later).entities.costs)).toEqual({
      ...cost,
      late: 2,
    })
    expect(only(given(estimated, estimated).entities.costs)).toMatchObject({ status: "estimated", late: 1 })
  })
  it("each request is counted once, and an unknown price is counted as unpriced", () => {
    const facts = [recorded("a", 1), recorded("b", 2), recorded("a", 1), recorded("c", "unknown")]
    expect(only(given(...facts).entities.costTotals)).toEqual({
      currency: "USD",
      known: 3,
      requests: 3,
      unpriced: 1,
      counted: ["a", "b", "c"],
    })
  })
  it("the latest 512 requests are remembered as counted", () => {
    const many = Array.from({ length: 514 }, (_, n) => recorded(`r${n}`, 1))
    const { counted, requests } = only(given(...many).entities.costTotals)
    expect([counted.length, counted[0], requests]).toEqual([512, "r2", 514])
  })
  it.each([
    [12, 10, 0],
    [4, 10, 6],
    ["unknown", 10, "unknown"],
    [4, "unknown", "unknown"],
  ] as const)("a quota with %s used of %s has %s left", (used, limit, remaining) => {
    const blocked = fact("quota.blocked", { payload: { used, limit, resets_at: at(50) } })
    expect(only(given(fact("quota.low"), blocked).entities.quotas)).toEqual({
      quota: "monthly",
      status: "blocked",
      unit: "USD",
      limit,
      remaining,
      resets_at: at(50),
      at: at(2),
    })
  })
  it("refusals for a rate are counted per provider and limit", () => {
    const hit = (limit: string) => fact("rate_limit.hit", { payload: { limit, next_try_at: at(30) } })
    expect(given(hit("rpm"), hit("rpm"), hit("tpm")).entities.rateLimits).toEqual({
      "acme|rpm": { provider: "acme", limit: "rpm", hits: 2, next_try_at: at(30), at: at(2) },
      "acme|tpm": { provider: "acme", limit: "tpm", hits: 1, next_try_at: at(30), at: at(3) },
    })
  })
})

describe("channels", () => {
  const channelOf = (...facts: Envelope[]) => only(given(...facts).entities.channels)
  const mappings = [{ native_task_id: "n1", task_id: "tsk_1" }]
  const connected = fact("channel.connected", { payload: { peer_name: "Peer", mappings } })
  const dropped = fact("channel.disconnected")
  const resumed = fact("channel.resumed")
  const message = (native_message_id: string, direction: "inbound" | "outbound" = "inbound") =>
    fact("channel.message", { payload: { native_message_id, direction } })

  it("identity and mapping stay across a reconnect", () => {
    expect(channelOf(connected, dropped)).toMatchObject({
      status: "disconnected",
      reason: "dropped",
      acknowledged: 6,
      cursor: 4,
      mappings,
    })
    const back = channelOf(connected, dropped, resumed)
    expect(back).toMatchObject({
      channel_id: "chn_1",
      native_peer_id: "peer-1",
      peer_name: "Peer",
      status: "connected",
      cursor: 8,
      acknowledged: 8,
      mappings,
    })
    expect(back.reason).toBeUndefined()
    const again = channelOf(connected, dropped, fact("channel.connected"))
    expect([again.reason, again.mappings]).toEqual([undefined, mappings])
  })
  it("an inbound message under one native id counts once; outbound ones always", () => {
    expect(channelOf(connected, message("m1"), message("m1"), message("m2"))).toMatchObject({
      messages: 2,
      seen: ["m1", "m2"],
      updated_at: at(4),
    })
    expect(channelOf(connected, message("m1", "outbound"), message("m1", "outbound"))).toMatchObject({
      messages: 2,
      seen: [],
    })
  })
  it("the latest 256 inbound ids are remembered", () => {
    const { seen, messages } = channelOf(...Array.from({ length: 260 }, (_, n) => message(`m${n}`)))
    expect([seen.length, seen[0], messages]).toEqual([256, "m4", 260])
  })
  it("a forwarded approval waits there until it is answered", () => {
    const forward = (action_id: string) => fact("channel.permission_forwarded", { action_id })
    const answer = (action_id: string) => fact("channel.permission_returned", { action_id })
    expect(channelOf(forward("a"), forward("b"), forward("a")).forwarded).toEqual(["a", "b"])
    expect(channelOf(forward("a"), forward("b"), answer("a")).forwarded).toEqual(["b"])
  })
})

describe("artifacts, evidence and outputs", () => {
  const artifactOf = (...facts: Envelope[]) => only(given(...facts).entities.artifacts)
  const changed = (payload: Partial<EventOfType<"artifact.changed">["payload"]>) =>
    fact("artifact.changed", { payload })
  it("what was said of an older version is not said of a new one", () => {
    const first = changed({
      title: "Plan",
      media_type: "text/plain",
      preview,
      diff_ref: other,
      validation_issues: 3,
    })
    const same = changed({ change: "observed" })
    expect(artifactOf(first, same)).toMatchObject({
      title: "Plan",
      preview,
      diff_ref: other,
      versions: [{ version: "1", at: at(1) }],
    })
    const second = artifactOf(first, changed({ change: "updated", version: "2" }))
    expect(second).toMatchObject({
      title: "Plan",
      media_type: "text/plain",
      version: "2",
      versions: [
        { version: "1", at: at(1) },
        { version: "2", at: at(2) },
      ],
      validation_issues: "unknown",
      status: "present",
    })
    expect([second.preview, second.diff_ref]).toEqual([undefined, undefined])
  })
  it("a version seen before is listed once, and a removed artifact says so", () => {
    const facts = [changed({}), changed({ version: "2" }), changed({ version: "1", change: "removed" })]
    const versions = [
      { version: "1", at: at(1) },
      { version: "2", at: at(2) },
    ]
    expect(artifactOf(...facts)).toMatchObject({ status: "removed", versions, changed_at: at(3) })
  })
  it("an artifact knows its place", () => {
    const place = { thread_id: "t", turn_id: "u", task_id: "k", step_id: "s", tool_call_id: "c" }
    expect(artifactOf(fact("artifact.changed", place))).toMatchObject(place)
  })
  it.each(["passed", "failed", "inconclusive", "unknown"] as const)(
    "[RT-ID-12] the verdict %s is copied with its ref, never altered",
    (verdict) => {
      const observed = fact("evidence.changed", { trace_id: "t1", payload: { verdict, ref: other } })
      expect(only(given(observed).entities.evidences)).toEqual({
        ...observed.payload,
        trace_id: "t1",
        changed_at: at(1),
      })
    },
  )
  it("[RT-ENV-10] a ref reads the same digest until the fact that it expired", () => {
    const outputOf = (...facts: Envelope[]) => only(given(...facts).entities.outputs)
    const spilled = fact("output.spilled", { tool_call_id: "tcl_1" })
    const masked = fact("output.redacted", { payload: { ref } })
    expect(outputOf(spilled, masked, masked)).toEqual({
      ref,
      status: "available",
      bytes: 9000,
      digest,
      preview,
      dropped_bytes: 0,
      redactions: 4,
      cause: "large",
    })
    const expired = fact("output.expired", { payload: { last_digest: digest, cause: "damaged" } })
    expect(outputOf(spilled, expired)).toMatchObject({ status: "unavailable", digest, cause: "damaged" })
  })
  it("an output is that of its ref, else of its call, else of the fact alone", () => {
    const cut = (over: object) => ({ ...fact("output.truncated"), ...over }) as Envelope
    const state = given(
      cut({ payload: { ref, kept_bytes: 1, dropped_bytes: 2, cause: "limit" }, tool_call_id: "tcl_1" }),
      cut({ tool_call_id: "tcl_1" }),
      cut({}),
    )
    expect(Object.keys(state.entities.outputs)).toEqual(["blob:1", "tcl_1", "evt_3"])
    expect(state.entities.outputs["blob:1"]).toMatchObject({
      ref,
      bytes: 1,
      dropped_bytes: 2,
      tool_call_id: "tcl_1",
    })
  })
  it("truncation without ref keeps the ref known before", () => {
    const spilled = fact("output.spilled", { payload: { ref: { uri: "tcl_1", kind: "output" } } })
    const cut = fact("output.truncated", { tool_call_id: "tcl_1" })
    const masked = fact("output.redacted", { tool_call_id: "tcl_1" })
    expect(only(given(spilled, cut, masked).entities.outputs)).toMatchObject({
      ref: { uri: "tcl_1" },
      dropped_bytes: 90,
      redactions: 2,
      tool_call_id: "tcl_1",
    })
  })
})
