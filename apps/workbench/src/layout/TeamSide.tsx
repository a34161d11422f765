/** Who works on the session. */
export function TeamPlace() {
  return null
}

/** The tasks under way. */
export function CapsulesPlace() {
  return null
}
