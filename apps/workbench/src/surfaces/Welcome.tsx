import { useWords } from "../i18n/words.ts"

/** The first page: what to write, what can be watched without a model, and how to connect one. */
export function Welcome({ onDemo }: { onDemo: (say: string) => void }) {
  const words = useWords()
  return (
    <div className="pt-[12vh] pb-8" data-fallback="empty">
      <p className="text-accent mb-1 font-semibold">Factum</p>
      <h1 className="text-xl font-semibold">{words.talk.emptyTitle}</h1>
      <p className="text-meta mt-2 max-w-prose text-balance">{words.talk.emptyBody}</p>
      <h2 className="mt-8 font-medium">{words.talk.demoTitle}</h2>
      <p className="text-meta mt-1 max-w-prose">{words.talk.demoBody}</p>
      <ul className="border-line mt-3 divide-y divide-[var(--c-line)] border-y">
        {words.talk.demos.map(({ say, about }) => (
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
      <h2 className="mt-8 font-medium">{words.talk.connectTitle}</h2>
      <p className="text-meta mt-1">{words.talk.connectBody}</p>
      <pre className="bg-raised border-line mt-2 overflow-x-auto rounded-lg border px-4 py-2 font-mono text-[13px]">
        {"$ ANTHROPIC_API_KEY=… npm start"}
      </pre>
    </div>
  )
}
