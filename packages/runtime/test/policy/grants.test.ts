import { type Action, emptySession, type SessionState } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { createCredentials } from "../../src/credentials.ts"
import { policyIn } from "../../src/policy/index.ts"
import { type Mode, modes, type Policy } from "../../src/policy/types.ts"
import { createRedactor } from "../../src/redact.ts"

const action = (more: Partial<Action>, request: Record<string, unknown>, decision = "approve"): Action =>
  ({
    action_id: "act_1",
    status: "resolved",
    turn_id: "trn_1",
    late: 0,
    request: {
      decided_by: "human",
      decisions: [
        { id: "approve", label: "Yes", effect: "allow" },
        { id: "reject", label: "No", effect: "deny" },
      ],
      ...request,
    },
    resolution: { reason: "answered", decision, decider: { kind: "human" } },
    ...more,
  }) as Action

const given = (one: Action): SessionState => ({
  ...emptySession,
  entities: { ...emptySession.entities, actions: { [one.action_id]: one } },
})
const base = (mode: "plan" | "ask") => ({ version: "1", mode, rules: [] })
const plan = { action_type: "plan_decision" }
const end = "2026-01-01T00:10:00.000Z"
const grant = { action_type: "permission_grant", grant: { scope: "shell(npm test *)", expires_at: end } }
const before = Date.parse(end) - 1

describe("the mode that a turn asks for", () => {
  const turn = (mode: unknown): SessionState => ({
    ...emptySession,
    entities: {
      ...emptySession.entities,
      turns: {
        trn_1: {
          turn_id: "trn_1",
          thread_id: "thr_1",
          status: "running",
          input: [],
          steered: [],
          wishes: [],
          sources: [],
          late: 0,
          options: { mode },
        },
      },
    },
  })
  const under = (mode: Mode): Policy => ({ version: "1", mode, rules: [] })

  it.each(modes.flatMap((usual, at) => modes.slice(0, at).map((asked) => [asked, usual] as const)))(
    "%s holds in place of %s, for this turn alone",
    (asked, usual) => {
      const bound = { version: `1+${asked}`, mode: asked, rules: [] }
      expect(policyIn(under(usual), turn(asked), "trn_1", before)).toEqual(bound)
      expect(policyIn(under(usual), turn(asked), "trn_2", before)).toEqual(under(usual))
    },
  )
  it.each(modes.flatMap((usual, at) => modes.slice(at).map((asked) => [asked, usual] as const)))(
    "%s changes nothing where %s holds",
    (asked, usual) => expect(policyIn(under(usual), turn(asked), "trn_1", before)).toEqual(under(usual)),
  )
  it("what is no mode changes nothing", () => {
    for (const mode of ["auto", 1, null])
      expect(policyIn(under("ask"), turn(mode), "trn_1", before)).toEqual(under("ask"))
  })
})

describe("what people granted in a session", () => {
  it("is an allow rule of the session until its end, and makes another version", () => {
    const state = given(action({}, grant))
    expect(policyIn(base("ask"), state, "trn_9", before)).toEqual({
      version: "1+act_1",
      mode: "ask",
      rules: [
        { effect: "allow", layer: "session", tool: "shell", match: "npm test *", note: "granted in act_1" },
      ],
    })
    expect(policyIn(base("ask"), state, "trn_9", before + 1)).toEqual(base("ask"))
  })

  it.each([
    ["was refused", action({}, grant, "reject")],
    [
      "expired",
      action({ resolution: { reason: "expired", decision: "none", decider: { kind: "runtime" } } }, grant),
    ],
    ["was decided by no person", action({}, { ...grant, decided_by: "host" })],
    ["has no end", action({}, { ...grant, grant: { scope: "shell" } })],
    ["is for every tool", action({}, { ...grant, grant: { scope: "*", expires_at: end } })],
    ["was given to a child, whose parent only sees it", action({ subagent_id: "sub_1" }, grant)],
  ])("is nothing when it %s", (_, one) => {
    expect(policyIn(base("ask"), given(one), "trn_1", before).rules).toEqual([])
  })

  it("an approved plan lifts plan mode for its turn alone, and a child's plan not for its parent", () => {
    const mode = (one: Action, turn = "trn_1") => policyIn(base("plan"), given(one), turn, before).mode
    expect(mode(action({}, plan))).toBe("ask")
    expect(mode(action({}, plan), "trn_2")).toBe("plan")
    expect(mode(action({}, plan, "reject"))).toBe("plan")
    expect(mode(action({ subagent_id: "sub_1" }, plan))).toBe("plan")
  })

  it("a credential that a child asked for does not reach its parent", () => {
    const credentials = createCredentials(createRedactor())
    const kept = credentials.keep({ session_id: "ses_1", name: "GH_TOKEN", value: "a-long-value" })
    const answer_ref = kept.ok ? kept.ref : undefined
    const resolution = { reason: "answered", decision: "approve", decider: { kind: "human" }, answer_ref }
    const asked = (more: Partial<Action>) =>
      given(action({ ...more, resolution } as Partial<Action>, { action_type: "credential_request" }))
    expect(credentials.environment("ses_1", asked({}))).toEqual({ GH_TOKEN: "a-long-value" })
    expect(credentials.environment("ses_1", asked({ subagent_id: "sub_1" }))).toEqual({})
    expect(credentials.environment("ses_2", asked({}))).toEqual({})
  })
})
