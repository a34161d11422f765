/** Bounds on what a model may say at once. Each is checked before the work that it bounds. */
export type Limits = {
  /** Characters of a whole message that is searched for a declaration. */
  message: number
  /** Characters of one declaration. */
  declaration: number
  /** Levels of nested objects and arrays. */
  depth: number
  actions: number
  /** Passes of a bounded loop. */
  repeat: number
  /** Problems told at once. */
  issues: number
  /** Outputs in a row that may be refused before the turn ends. */
  refusals: number
}

export const defaultLimits: Limits = {
  message: 2_097_152,
  declaration: 262_144,
  depth: 32,
  actions: 200,
  repeat: 100,
  issues: 100,
  refusals: 3,
}

export const limitsOf = (limits?: Partial<Limits>): Limits => ({ ...defaultLimits, ...limits })
