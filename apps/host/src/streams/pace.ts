export type Pace = {
  /** The shortest time between two writes to one subscriber. */
  gapMs: number
  heartbeatMs: number
  /** How much may wait for a reader before nothing more is read for it. */
  waitingBytes: number
  /** How long a reader may take nothing of what waits before it is sent away. */
  stallMs: number
}

export const usualPace: Pace = { gapMs: 20, heartbeatMs: 15_000, waitingBytes: 256 * 1024, stallMs: 10_000 }
