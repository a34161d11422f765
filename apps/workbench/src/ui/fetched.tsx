import { type ComponentType, lazy } from "react"

/** A part of the page that the host did not give: it was stopped, or has another version by now. */
export class NotFetched extends Error {
  /** Lets the next try ask for it anew: React keeps what it once failed to get. */
  readonly forget: () => void

  constructor(cause: unknown, forget: () => void) {
    super("A part of the page was not fetched.", { cause })
    this.forget = forget
  }
}

/** A component that is fetched when it is first shown. */
export function fetched<P extends object>(load: () => Promise<{ default: ComponentType<P> }>) {
  const begin = () =>
    lazy<ComponentType<P>>(async () => {
      try {
        return await load()
      } catch (cause) {
        throw new NotFetched(cause, () => {
          Shown = begin()
        })
      }
    })
  let Shown: ComponentType<P> = begin()
  return function Fetched(props: P) {
    return <Shown {...props} />
  }
}
