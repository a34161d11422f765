/** A fact that came after the end changes nothing; it is only counted, as a diagnostic. */
export function late<S extends { late: number }>(state: S): S {
  return { ...state, late: state.late + 1 }
}
