import { useWords } from "../i18n/words.ts"

export function NoToken({ refused, preferences }: { refused: boolean; preferences: React.ReactNode }) {
  const words = useWords()
  return (
    <>
      <header className="flex h-11 items-stretch justify-end">{preferences}</header>
      <main className="mx-auto max-w-md px-4 pt-16">
        <h1 className="text-lg font-semibold">{refused ? words.refusedTitle : words.noTokenTitle}</h1>
        <p className="text-meta mt-2">{words.noTokenBody}</p>
        <pre className="bg-raised border-line mt-4 overflow-x-auto rounded-lg border px-4 py-3 font-mono text-[13px]">
          {"$ npm start\nFactum is running at\nhttp://127.0.0.1:PORT/#token=…"}
        </pre>
      </main>
    </>
  )
}
