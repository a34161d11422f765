import type { ToolEffect } from "@factum/facts"

/** What a tool of a scenario does beside writing down its effect. */
export type Instrument = {
  effect: ToolEffect
  reads?: boolean
  fails?: boolean
  /** Goes on until it is told to stop. */
  endless?: boolean
  /** Bytes of output, to be kept beside the log. */
  large?: number
  /** A person does it. */
  asks?: boolean
}

export type Line = { text?: string; calls?: readonly { id: string; tool: string; args?: unknown }[] }

export type Scenario = {
  /** What the person says, all at once: what cannot start waits in the queue. */
  turns: readonly string[]
  tools: Readonly<Record<string, Instrument>>
  /** What the model answers to each of it, request by request; then it is done. */
  says: Readonly<Record<string, readonly Line[]>>
  protocol?: boolean
  /** Named sequences of its tools. */
  pipelines?: Readonly<Record<string, readonly string[]>>
  /** An agent that work can be handed to; the model speaks for it too. */
  delegate?: string
  /** Whether changes need leave, and what the person decides. */
  decision?: "allow" | "deny" | "approve"
  /** Actions are answered from this life on. */
  answers_from?: number
  /** The person interrupts when this tool has had its effect. */
  interrupts?: string
  /** Said to the first turn when this tool has had its effect. */
  steers?: { at: string; text: string }
  /** The window of the model, in tokens: what is longer is summed up. */
  window?: number
  /** How the model fails to sum up. */
  summary?: "fails"
  /** What the person does to the thread when all turns have ended. */
  finally?: "sum up" | "roll back"
}

const once: Instrument = { effect: "once" }
const look: Instrument = { effect: "none", reads: true }
const call = (...tools: string[]): Line => ({ calls: tools.map((tool, at) => ({ id: `c${at}`, tool })) })
const act = (...calls: object[]): Line => ({
  calls: [{ id: "p", tool: "AgentProtocolOutput", args: { kind: "act", calls } }],
})

const handed = (task: string): Line => ({
  calls: [{ id: "d", tool: "delegate", args: { agent: "scout", task } }],
})
const declare = (intent: string, payload: object): Line => {
  const whole = { type: "agent.protocol", version: "1", intent, payload }
  return { text: ["```json agent-protocol", JSON.stringify(whole), "```"].join("\n") }
}
const action = (id: string, target: string, more: object = {}) => ({
  type: "action",
  id,
  executor: { type: "tool", target },
  ...more,
})

/** A turn in which the model calls tools once and then answers. */
const oneRound = (tools: Scenario["tools"], more: Partial<Scenario> = {}): Scenario => ({
  turns: ["Go"],
  tools,
  says: { Go: [call(...Object.keys(tools))] },
  ...more,
})

export const scenarios: Readonly<Record<string, Scenario>> = {
  answer: { turns: ["Go"], tools: {}, says: {} },
  "once tool": oneRound({ send: once }),
  "two rounds": oneRound({ send: once, look }, { says: { Go: [call("look"), call("send"), call("look")] } }),
  "parallel readers": oneRound({ list: look, find: look, read: look }),
  "two writers": oneRound({ first: once, second: once }),
  "safe again": oneRound({ again: { effect: "repeatable" }, keyed: { effect: "keyed" } }),
  allowed: oneRound({ write: once }, { decision: "allow" }),
  denied: oneRound({ write: once }, { decision: "deny" }),
  "answered after restart": oneRound({ write: once }, { decision: "allow", answers_from: 2 }),
  "approval beside a call": oneRound(
    { send: { effect: "once", reads: true }, look, write: once },
    { decision: "allow" },
  ),
  "approval beside a long call": oneRound(
    { slow: { effect: "once", reads: true, endless: true }, write: once },
    { decision: "allow", interrupts: "write" },
  ),
  question: oneRound({ ask: { effect: "none", asks: true } }, { decision: "allow" }),
  failing: oneRound({ send: { effect: "once", fails: true } }),
  "large result": oneRound({ dump: { effect: "once", large: 50_000 } }),
  interrupt: oneRound({ slow: { effect: "once", endless: true } }, { interrupts: "slow" }),
  "interrupt of what is safe": oneRound(
    { slow: { effect: "repeatable", endless: true } },
    { interrupts: "slow" },
  ),
  queue: {
    turns: ["First", "Second"],
    tools: { one: once, two: once },
    says: { First: [call("one")], Second: [call("two")] },
  },
  steer: {
    turns: ["Go"],
    tools: { one: once, two: once },
    says: { Go: [call("one")], "Also this": [call("two")] },
    steers: { at: "one", text: "Also this" },
  },
  "steer beside an approval": {
    turns: ["Go"],
    tools: { look, write: once },
    says: { Go: [call("look"), call("write")] },
    steers: { at: "look", text: "Also this" },
    decision: "allow",
  },
  "summed up": {
    turns: ["First", "Second"],
    tools: { one: { effect: "once", large: 3_000 }, two: { effect: "once", large: 3_000 } },
    says: { First: [call("one")], Second: [call("two")] },
    window: 1_600,
  },
  "summed up without a model": {
    turns: ["First", "Second"],
    tools: { one: { effect: "once", large: 3_000 }, two: { effect: "once", large: 3_000 } },
    says: { First: [call("one")], Second: [call("two")] },
    window: 1_600,
    summary: "fails",
  },
  "summed up on demand": oneRound({ send: once }, { finally: "sum up" }),
  "rolled back": oneRound({ send: once }, { finally: "roll back" }),
  protocol: {
    turns: ["Go"],
    protocol: true,
    tools: { look, send: once, count: look },
    says: {
      Go: [
        act(
          { id: "a", type: "tool", name: "look", result: "full" },
          { id: "b", type: "tool", name: "send", depends: "a", result: "full" },
          { id: "c", type: "tool", name: "count", depends: "b", result: "full" },
        ),
      ],
    },
  },
  "protocol decision": {
    turns: ["Go"],
    protocol: true,
    tools: { flaky: { effect: "none", reads: true, fails: true }, send: once },
    says: {
      Go: [
        declare("execute", {
          type: "action_graph",
          actions: [
            action("a", "flaky", { failure_policy: { on_failure: "ask_model" } }),
            action("b", "send"),
          ],
        }),
        declare("decide", { type: "decision", run_id: "$RUN", action_id: "a", choice: "retry" }),
      ],
    },
  },
  "people and merging": {
    turns: ["Go"],
    protocol: true,
    decision: "approve",
    tools: { look },
    says: {
      Go: [
        declare("execute", {
          type: "action_graph",
          actions: [
            action("a", "look"),
            {
              type: "action",
              id: "q",
              executor: { type: "human" },
              operation: "approve",
              depends_on: ["a"],
              description: "All right?",
            },
            {
              type: "action",
              id: "m",
              executor: { type: "runtime" },
              operation: "merge",
              depends_on: ["q"],
              context_refs: ["action:a.output"],
            },
          ],
        }),
      ],
    },
  },
  plan: {
    turns: ["Go"],
    protocol: true,
    decision: "approve",
    tools: { look },
    says: { Go: [declare("plan", { type: "action_graph", actions: [action("a", "look")] })] },
  },
  pipeline: {
    turns: ["Go"],
    tools: { build: look, ship: once, tell: look },
    pipelines: { release: ["build", "ship", "tell"] },
    says: { Go: [call("release")] },
  },
  "pipeline allowed": {
    turns: ["Go"],
    decision: "allow",
    tools: { build: look, ship: once },
    pipelines: { release: ["build", "ship"] },
    says: { Go: [call("release")] },
  },
  delegation: {
    turns: ["Go"],
    delegate: "scout",
    tools: { look, send: once },
    says: { Go: [handed("Find it")], "Find it": [call("look"), call("send")] },
  },
  "delegation allowed": {
    turns: ["Go"],
    delegate: "scout",
    decision: "allow",
    tools: { send: once },
    says: { Go: [handed("Send it")], "Send it": [call("send")] },
  },
  "delegation answered after restart": {
    turns: ["Go"],
    delegate: "scout",
    decision: "allow",
    answers_from: 2,
    tools: { send: once },
    says: { Go: [handed("Send it")], "Send it": [call("send")] },
  },
  "delegation interrupted": {
    turns: ["Go"],
    delegate: "scout",
    tools: { slow: { effect: "repeatable", endless: true } },
    says: { Go: [handed("Dig")], Dig: [call("slow")] },
    interrupts: "slow",
  },
}

/** What a later life asks when all is over, to see what the model is told. */
export const afterwards = "What happened?"
