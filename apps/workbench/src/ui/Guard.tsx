import { Component, type ReactNode } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "./Button.tsx"
import { NotFetched } from "./fetched.tsx"
import { State } from "./State.tsx"

type Props = {
  children: ReactNode
  /** What stands here, for the words that stand in for it. */
  name: string
  /** It draws nothing, so nothing stands in for it. */
  silent?: boolean
}

/** Keeps a part that cannot be drawn from taking the rest of the page with it. React has this for classes only. */
export class Guard extends Component<Props> {
  override state: { failed: boolean; error?: unknown } = { failed: false }
  static getDerivedStateFromError = (error: unknown) => ({ failed: true, error })

  override render(): ReactNode {
    const { failed, error } = this.state
    if (!failed) return this.props.children
    if (this.props.silent) return null
    const again = () => {
      if (error instanceof NotFetched) error.forget()
      this.setState({ failed: false, error: undefined })
    }
    return <Failed name={this.props.name} error={error} onAgain={again} />
  }
}

function Failed({ name, error, onAgain }: { name: string; error: unknown; onAgain: () => void }) {
  const { broken } = useWords()
  const isMissing = error instanceof NotFetched
  return (
    <div role="alert" data-broken={name} className="flex flex-col items-start gap-2 px-3 py-2">
      <p className="flex items-start gap-1.5">
        <span className="flex h-5 items-center">
          <State state="failed" quiet />
        </span>
        <span className="min-w-0 break-words">{isMissing ? broken.missing(name) : broken.failed(name)}</span>
      </p>
      {!isMissing && <p className="meta break-words">{String(error)}</p>}
      <p className="flex flex-wrap gap-1.5">
        <Button onClick={onAgain}>{broken.again}</Button>
        <Button look="bare" onClick={() => location.reload()}>
          {broken.reload}
        </Button>
      </p>
    </div>
  )
}
