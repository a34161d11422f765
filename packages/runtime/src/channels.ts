import type { Action, CommandResult } from "@factum/facts"
import { type Actor, signed } from "./actor.ts"
import type { Cell, Cells } from "./cells.ts"
import { respondAction } from "./control/actions.ts"
import {
  type ChannelAnswer,
  type ChannelMessage,
  forwardAction,
  type MessageTaken,
  messageKey,
  takeAnswer,
  takeMessage,
} from "./control/channel-traffic.ts"
import { acknowledgedBy, dropChannel, noChannel, type OpenChannel, openChannel } from "./control/channels.ts"
import { accept, type Decision, type Given, type Refused, reject } from "./decision.ts"
import type { FactLog } from "./ports/log.ts"

export type { ChannelAnswer, ChannelMessage, MessageTaken, OpenChannel }

type Answered<R> = { ok: true; result: R } | Refused

/** What a host does for its peers beside the commands of the table. */
export type Channels = {
  open(channel: OpenChannel, by?: Actor): Promise<Answered<{ channel_id: string; cursor: number }>>
  /**
   * The connection is lost; what was acknowledged is written down with it. `since` is the cursor that its opening or
   * resuming gave: when another connection has resumed the channel after that, nothing is lost.
   */
  drop(channel_id: string, reason: string, since?: number): Promise<void>
  message(channel_id: string, message: ChannelMessage, by?: Actor): Promise<Answered<MessageTaken>>
  /** What is asked, when the action is open and may be shown to the peer. */
  forward(channel_id: string, action_id: string): Promise<Action["request"]>
  /** The actions of the channel's session that wait for a person. */
  waiting(channel_id: string): string[]
  answer(
    channel_id: string,
    answer: ChannelAnswer,
    by?: Actor,
    refused?: Refused,
  ): Promise<Answered<CommandResult<"respond_action">>>
  /** The sequence up to which the peer has everything. */
  acknowledged(channel_id: string): number | undefined
}

export type ChannelParts = {
  cells: Cells
  log: FactLog
  given: Given
  /** What the peers that are here have acknowledged. */
  moved: Map<string, number>
  /** The cursors at which they came. */
  came: Map<string, number>
  wake: (session_id: string) => void
}

export function createChannels({ cells, log, given, moved, came, wake }: ChannelParts): Channels {
  const placeOf = (channel_id: string) => {
    const place = given.place(channel_id)
    return place?.kind === "channel" ? place.session_id : undefined
  }

  /** An action of a child is shown in its parent's session, and decided in its own. */
  const ownerOf = (action_id: string, session_id: string): string => {
    const place = given.place(action_id)
    return place?.parent_session_id === session_id ? place.session_id : session_id
  }

  /** Runs `job` in the line of the channel's session. */
  function inLine<T>(channel_id: string, absent: T, job: (cell: Cell, session_id: string) => Promise<T>) {
    const session_id = placeOf(channel_id)
    return session_id === undefined
      ? Promise.resolve(absent)
      : cells.inLine(session_id, (cell) => job(cell, session_id))
  }

  async function commit<R>(cell: Cell, decision: Decision<R>, by: Actor | undefined): Promise<Answered<R>> {
    if (!decision.ok) return decision
    const done = await cells.commit(cell, signed(decision.facts, by), decision.claims)
    if (!done.ok) return reject("write_failed", `Nothing was written: the store answered ${done.code}.`)
    return { ok: true, result: decision.result }
  }

  return {
    open: ({ session_id, ...rest }, by) =>
      cells.inLine(session_id, async (cell) => {
        const opened = await commit(cell, openChannel({ session_id, ...rest }, cell.state, given), by)
        if (opened.ok) {
          const { channel_id, cursor } = opened.result
          moved.set(channel_id, cursor)
          came.set(channel_id, cursor)
        }
        return opened
      }),

    drop: (channel_id, reason, since) =>
      inLine(channel_id, undefined, async (cell, session_id) => {
        // Each resumption has written a fact, so that a later one has a greater cursor.
        if (since !== undefined && (came.get(channel_id) ?? since) > since) return
        const done = await cells.commit(cell, dropChannel(channel_id, session_id, reason, cell.state, given))
        if (!done.ok) return
        moved.delete(channel_id)
        came.delete(channel_id)
      }),

    message: (channel_id, message, by) =>
      inLine<Answered<MessageTaken>>(channel_id, noChannel(channel_id), async (cell, session_id) => {
        const earlier = log.claimed(messageKey(channel_id, message.native_message_id))
        if (earlier !== undefined)
          return { ok: true, result: { outcome: "no_op", turn: JSON.parse(earlier) as MessageTaken["turn"] } }
        const taken = await commit(cell, takeMessage(channel_id, session_id, message, cell.state, given), by)
        if (taken.ok) wake(session_id)
        return taken
      }),

    forward: (channel_id, action_id) =>
      inLine<Action["request"]>(channel_id, undefined, async (cell, session_id) => {
        const facts = forwardAction(channel_id, session_id, action_id, cell.state)
        if (facts.length > 0 && !(await cells.commit(cell, facts)).ok) return undefined
        const { channels, actions } = cell.state.entities
        const isShown = channels[channel_id]?.forwarded.includes(action_id) ?? false
        const action = actions[action_id]
        return isShown && action?.status === "pending" ? structuredClone(action.request) : undefined
      }),

    waiting(channel_id) {
      const session_id = placeOf(channel_id)
      const actions = session_id === undefined ? {} : cells.peek(session_id).entities.actions
      return Object.values(actions)
        .filter(({ status, request }) => status === "pending" && request?.decided_by === "human")
        .map(({ action_id }) => action_id)
    },

    answer: (channel_id, answer, by, refused) =>
      inLine<Answered<CommandResult<"respond_action">>>(
        channel_id,
        noChannel(channel_id),
        async (cell, session_id) => {
          const actor = by && { ...by, channel_id }
          const decideIn = async (owner: Cell): Promise<Answered<CommandResult<"respond_action">>> => {
            const { decision, returned } = takeAnswer(
              channel_id,
              session_id,
              answer,
              cell.state,
              () => refused ?? respondAction({ ...answer, session_id: owner.session_id }, owner.state, given),
            )
            if (!decision.ok) {
              await commit(cell, accept(undefined, returned), actor)
              return decision
            }
            const { result, facts, claims } = decision
            const here = owner === cell ? [...returned, ...facts] : facts
            const written = await commit(owner, accept(result, here, claims), actor)
            if (!written.ok) return written
            // The answer counts from here on, whether it can be told beside the channel or not.
            if (owner !== cell) await commit(cell, accept(undefined, returned), actor)
            wake(owner.session_id)
            return written
          }
          const owner = ownerOf(answer.action_id, session_id)
          return owner === session_id ? decideIn(cell) : cells.inLine(owner, decideIn)
        },
      ),

    acknowledged(channel_id) {
      const session_id = placeOf(channel_id)
      const channel = session_id && cells.peek(session_id).entities.channels[channel_id]
      return channel ? (moved.get(channel_id) ?? acknowledgedBy(channel)) : undefined
    },
  }
}
