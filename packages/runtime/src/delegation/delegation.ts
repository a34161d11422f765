import { type SessionState, type Subagent, toolCallEnded, turnEnded } from "@factum/facts"
import type { Cell, Cells } from "../cells.ts"
import type { CallScope } from "../control/calls.ts"
import { endTurn } from "../control/loop.ts"
import { claimPlace, type Draft } from "../decision.ts"
import type { FactLog } from "../ports/log.ts"
import type { ToolOutcome, ToolRun } from "../ports/tool.ts"
import { expenses, unpaid } from "./expense.ts"
import { type Child, childOf, type ParentLink, workspaceIn } from "./link.ts"
import { mirrored } from "./mirror.ts"
import { ending, outcomeOf } from "./report.ts"
import type { Order } from "./tools.ts"

export type Delegation = {
  /** Has a child session do the work, or takes up with the one that already does. */
  handOut(order: Order, run: ToolRun): Promise<ToolOutcome>
  /** Ends the child of a turn that is over, and gives what is to be said of it there. */
  end(parent: Cell, subagent_id: string): Promise<Draft[]>
}

type Ports = { cells: Cells; log: FactLog; wake: (session_id: string) => void }

const over: ToolOutcome = { ok: false, category: "interrupted", message: "The call is over." }

export function createDelegation({ cells, log, wake }: Ports): Delegation {
  /** Writes in the parent's session as long as the call is open there. */
  function write(scope: CallScope, drafts: (state: SessionState) => readonly Draft[]): Promise<boolean> {
    return cells.inLine(scope.session_id, async (cell) => {
      const call = cell.state.entities.toolCalls[scope.tool_call_id]
      if (call === undefined || toolCallEnded(call)) return false
      return (await cells.commit(cell, drafts(cell.state))).ok
    })
  }

  /** The child is announced before it exists, and is created once. */
  async function spawn({ delegate, task }: Order, run: ToolRun, child: Child): Promise<boolean> {
    const scope = scopeOf(run)
    const announced = await write(scope, (state) =>
      state.entities.subagents[child.subagent_id] === undefined
        ? spawned(scope, child, delegate.name, task, run.boundary.profile)
        : [],
    )
    if (!announced) return false
    const link: ParentLink = {
      ...linkOf(scope),
      subagent_id: child.subagent_id,
      agent: delegate.name,
      depth: 1,
    }
    const workspace = workspaceIn(cells.peek(scope.session_id))
    return cells.inLine(child.session_id, async (cell) => {
      if (cell.state.sequence > 0) return true
      const { session_id, thread_id, turn_id } = child
      const place = { session_id, thread_id }
      const done = await cells.commit(cell, begun(child, link, task, workspace), [
        claimPlace(thread_id, { kind: "thread", ...place }),
        claimPlace(turn_id, { kind: "turn", ...place }),
      ])
      return done.ok
    })
  }

  async function handOut(order: Order, run: ToolRun): Promise<ToolOutcome> {
    const child = childOf(run.tool_call_id)
    const scope = scopeOf(run)
    const agent = order.delegate.name
    if (!(await spawn(order, run, child))) return over
    wake(child.session_id)
    for await (const page of log.tail(child.session_id, 0, run.signal)) {
      // In line: a page may be heard of before the state has taken it in.
      const state = await cells.inLine(child.session_id, (cell) => cell.state)
      const turn = state.entities.turns[child.turn_id]
      const facts = (parent: SessionState): readonly Draft[] => mirrored(parent, scope, child, agent, state)
      if (turn === undefined || !turnEnded(turn)) {
        const told = await write(scope, (parent) => [
          ...expenses(parent, scope, child, page),
          ...facts(parent),
        ])
        if (!told) return over
        continue
      }
      const ended = await write(scope, (parent) => {
        const subagent = parent.entities.subagents[child.subagent_id]
        return [
          ...unpaid(log, parent, scope, child),
          ...facts(parent),
          ...(subagent === undefined ? [] : ending(scope, subagent, turn, state)),
        ]
      })
      return ended ? outcomeOf(state, child, agent) : over
    }
    return over
  }

  async function end(parent: Cell, subagent_id: string): Promise<Draft[]> {
    const subagent = parent.state.entities.subagents[subagent_id]
    if (subagent?.spawned === undefined) return []
    const child = subagent.spawned.child_session_id
    const state = await cells.inLine(child, async (cell) => {
      const [turn] = Object.values(cell.state.entities.turns)
      if (turn === undefined || turnEnded(turn)) return cell.state
      const reason = "The turn that asked for it was ended."
      const cancelled = { status: "cancelled", category: "interrupted", reason, by: "runtime" } as const
      await cells.commit(cell, endTurn(cell.state, turn.turn_id, cancelled))
      return cell.state
    })
    wake(child)
    const place = { subagent_id, session_id: child }
    return [...unpaid(log, parent.state, subagent.parent, place), ...closed(subagent, state)]
  }

  return { handOut, end }
}

function closed(subagent: Subagent, state: SessionState): Draft[] {
  const { session_id, thread_id, turn_id } = subagent.parent
  const [turn] = Object.values(state.entities.turns)
  return ending({ session_id, thread_id, turn_id }, subagent, turn, state)
}

function scopeOf({ session_id, thread_id, turn_id, step_id, tool_call_id }: ToolRun): CallScope {
  return { session_id, thread_id, turn_id, step_id, tool_call_id }
}

const linkOf = ({ step_id: _, ...link }: CallScope) => link

function spawned(scope: CallScope, child: Child, agent: string, task: string, profile: string): Draft[] {
  const { subagent_id, session_id, thread_id } = child
  const on = { ...scope, subagent_id }
  return [
    {
      type: "subagent.spawned",
      ...on,
      payload: {
        child_session_id: session_id,
        child_thread_id: thread_id,
        agent,
        objective: task.slice(0, 2_000),
        depth: 1,
        isolation: { workspace: "shared", sandbox_profile: profile },
        on_parent_interrupt: "end",
      },
    },
    { type: "subagent.input", ...on, payload: { number: 1, input: [{ kind: "text", text: task }] } },
  ]
}

function begun(
  { session_id, thread_id, turn_id }: Child,
  parent: ParentLink,
  task: string,
  workspace: string | undefined,
): Draft[] {
  const line = task.trim().split("\n", 1)[0] ?? ""
  const title = `${parent.agent}: ${line.length > 60 ? `${line.slice(0, 59)}…` : line}`
  // A child belongs where its parent does, also for those who may see one workspace only.
  const metadata = { parent, ...(workspace === undefined ? {} : { workspace }) }
  return [
    { type: "session.created", session_id, payload: { title, metadata } },
    { type: "thread.started", session_id, thread_id, payload: {} },
    {
      type: "turn.submitted",
      session_id,
      thread_id,
      turn_id,
      payload: { input: [{ kind: "text", text: task }], source: "subagent" },
    },
  ]
}
