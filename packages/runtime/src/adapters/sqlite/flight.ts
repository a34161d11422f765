import type { Claim, NotAppended } from "../../ports/log.ts"

/** Everything that waited, in one message. Columns: cloning an object for each append costs more than its insert. */
export type Flight = {
  streams: string[]
  expected: number[]
  at: number[]
  counts: number[]
  eventIds: string[]
  texts: string[]
  prunable: boolean[]
  /** 1 owes work, 0 owes none, -1 leaves it as it is. */
  owing: number[]
  extras: { index: number; claims: readonly Claim[]; supersedes: readonly { from: number; to: number }[] }[]
  states: { stream: string; sequence: number; text: string; digest: string }[]
  prune?: Prune
  pages?: number
  close?: true
}

/** Superseded ranges are numbered; `after` is the last one that was dealt with. */
export type Prune = { before: number; after: number; limit: number }

/** `next` says where pruning goes on; absent when it is done. */
export type Pruned = { pruned: number; next?: number }

/** The answer to a flight, in its order. A refused append has sequence -1. */
export type Landing = {
  sequences: number[]
  positions: number[]
  refusals?: { index: number; refusal: NotAppended }[]
  pruned?: Pruned
  /** The states that came along were not kept. */
  unsaved?: true
}

export type WriterSetup = {
  path: string
  runtimeId: string
  /** Rung for each flight. The writer sleeps on it, which wakes it sooner than its event loop would. */
  bell: Int32Array
}
export type WriterReady =
  | { ready: true; runtimeId: string }
  | { ready: false; code: "damaged" | "not_writable"; reason: string }
