import { useWords } from "../i18n/words.ts"

/** Where the host looks for the keys of the providers that it knows. */
const providers = [
  { name: "Anthropic", prefix: "anthropic/", key: "ANTHROPIC_API_KEY" },
  { name: "OpenAI", prefix: "openai/", key: "OPENAI_API_KEY" },
  { name: "Google", prefix: "google/", key: "GOOGLE_GENERATIVE_AI_API_KEY" },
]

type Props = {
  /** The host's model is the built-in demo. */
  hasDemos: boolean
  onDemo: (say: string) => void
}

/** The first page: what to write and, where no model is connected, what can be watched without one. */
export function Welcome({ hasDemos, onDemo }: Props) {
  const { welcome } = useWords()
  return (
    <div className="pt-[12vh] pb-8" data-fallback="empty">
      <p className="text-accent mb-1 font-semibold">Factum</p>
      <h1 className="text-xl font-semibold">{welcome.title}</h1>
      <p className="text-meta mt-2 max-w-prose text-balance">{welcome.body}</p>
      {hasDemos && <Demonstrations onDemo={onDemo} />}
      {hasDemos && <Connecting />}
    </div>
  )
}

function Demonstrations({ onDemo }: Pick<Props, "onDemo">) {
  const { welcome } = useWords()
  return (
    <>
      <h2 className="mt-8 font-medium">{welcome.demoTitle}</h2>
      <p className="text-meta mt-1 max-w-prose">{welcome.demoBody}</p>
      <ul className="border-line mt-3 divide-y divide-[var(--c-line)] border-y">
        {welcome.demos.map(({ say, about }) => (
          <li key={say} className="flex">
            <button
              type="button"
              aria-label={say}
              onClick={() => onDemo(say)}
              className="hover:bg-hover flex flex-1 flex-wrap items-baseline gap-x-3 px-2 py-2 text-left"
            >
              <span className="font-medium">{say}</span>
              <span className="text-meta">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

function Connecting() {
  const { welcome } = useWords()
  return (
    <>
      <h2 className="mt-8 font-medium">{welcome.connectTitle}</h2>
      <p className="text-meta mt-1">{welcome.connectBody}</p>
      <table className="mt-2 w-full max-w-prose text-left">
        <thead className="meta">
          <tr>
            <th className="pr-3 font-normal">{welcome.provider}</th>
            <th className="pr-3 font-normal">{welcome.model}</th>
            <th className="font-normal">{welcome.key}</th>
          </tr>
        </thead>
        <tbody>
          {providers.map(({ name, prefix, key }) => (
            <tr key={key} className="border-line border-t">
              <td className="py-1 pr-3">{name}</td>
              <td className="py-1 pr-3 font-mono text-[13px]">{prefix}</td>
              <td className="py-1 font-mono text-[13px] break-all">{key}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="text-meta mt-2 max-w-prose">{welcome.connectOwn}</p>
    </>
  )
}
