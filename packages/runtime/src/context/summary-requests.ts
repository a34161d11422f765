import type { SessionState, SummaryRequest } from "@factum/facts"
import type { World } from "../agent.ts"
import type { Cells } from "../cells.ts"
import { type Compacting, compactingIn, summaryFailed } from "../control/compaction.ts"
import type { Draft } from "../decision.ts"
import { type AllowancePorts, requestGate } from "../execution/allowance.ts"
import {
  costEstimated,
  costRecorded,
  estimate,
  type Offer,
  type ScopedLimit,
  type TaskProfile,
} from "../routing/index.ts"
import type { Piece, Requests } from "./summary.ts"
import type { Room } from "./window.ts"

export type SummaryPorts = Pick<World, "ids" | "clock"> &
  Pick<AllowancePorts, "ledger"> & { cells: Cells; limits: () => readonly ScopedLimit[] }

/** Where a summary is made: for a turn that goes on with it, or for none. */
export type Place = { session_id: string; turn_id?: string | undefined }

/** The requests of one compaction, each let through by the limits like one for an answer. */
export function summaryRequests(
  ports: SummaryPorts,
  { session_id, turn_id }: Place,
  { compaction_id, thread_id }: Compacting,
  offer: Offer,
  room: Room,
): Requests {
  const { cells, ids, limits, ledger, clock } = ports
  const { provider, model, price } = offer
  const allowance: AllowancePorts = { limits, ledger, peek: cells.peek, now: () => clock.now() }
  const placeIn = (state: SessionState, step_id: string) => ({
    session_id,
    thread_id,
    // The budgets of a turn are not those of one that is over.
    turn_id: turn_id ?? lastTurn(state, thread_id),
    step_id,
  })
  const profile: TaskProfile = {
    profile: "summary",
    needs: [],
    input_tokens: room.piece + room.summary,
    output_tokens: room.summary,
  }

  return {
    begin: () =>
      cells.inLine(session_id, async (cell) => {
        const { state } = cell
        if (compactingIn(state, thread_id) !== compaction_id) return { ok: false, cause: "it was given up" }
        const request_id = ids.next("request")
        const scope = placeIn(state, ids.next("step"))
        const tokens = room.piece + 2 * room.summary
        const asked = { request_id, provider, model, estimate: { tokens, ...estimate(profile, offer) } }
        const gate = requestGate(allowance, state, turn_id)(asked)
        // The turn is not what is stopped: it goes on with an extract.
        const facts: Draft[] = gate.go
          ? [
              ...(price === undefined ? [] : [{ ...scope, ...costEstimated(request_id, price, profile) }]),
              {
                type: "model.requested",
                ...scope,
                payload: { request_id, provider, model, attempt: 1, compaction_id },
              },
            ]
          : gate.facts.map((fact) => ({ ...fact, session_id, thread_id }))
        const done = await cells.commit(cell, facts)
        if (!done.ok) return { ok: false, cause: `it could not be written (${done.code})` }
        return gate.go ? { ok: true, request_id } : { ok: false, cause: gate.reason, limited: true }
      }),

    end: (request_id, piece) =>
      cells.inLine(session_id, async (cell) => {
        const open = cell.state.entities.summaryRequests[request_id]
        // Whoever ended it has said so.
        if (open === undefined || open.ended) return false
        const done = await cells.commit(cell, ended(cell.state, open, piece))
        return done.ok
      }),
  }

  function ended(state: SessionState, open: SummaryRequest, piece: Piece): Draft[] {
    const { request_id } = open
    const scope = placeIn(state, open.step_id)
    const { usage, outcome } = piece.spent
    const cost: Draft = {
      ...costRecorded({ request_id, provider, model, outcome, usage }, price),
      ...scope,
    }
    if (!piece.ok) {
      const category = outcome === "cancelled" ? "interrupted" : "provider_error"
      return [summaryFailed(state, open, category, piece.cause), cost]
    }
    const { input_tokens, output_tokens } = usage
    const parts = [{ kind: "text" as const, part_id: "summary", text: piece.text }]
    const payload = {
      request_id,
      parts,
      corrected: [],
      usage: { input_tokens, output_tokens },
      finish: "stop" as const,
      compaction_id,
    }
    return [{ type: "model.completed", ...scope, payload }, cost]
  }
}

const lastTurn = ({ entities }: SessionState, thread_id: string): string =>
  Object.values(entities.turns).findLast((turn) => turn.thread_id === thread_id)?.turn_id ?? ""
