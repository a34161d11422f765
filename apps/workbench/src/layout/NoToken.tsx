import { useWords } from "../i18n/words.ts"

export function NoToken({ refused }: { refused: boolean }) {
  const words = useWords()
  return (
    <main className="mx-auto max-w-md px-4 pt-24">
      <h1 className="text-base font-semibold">{refused ? words.refusedTitle : words.noTokenTitle}</h1>
      <p className="text-meta mt-2">{words.noTokenBody}</p>
      <pre className="bg-raised mt-3 overflow-x-auto rounded px-3 py-2 font-mono text-[13px]">
        {"$ npm start\nFactum is running at http://127.0.0.1:PORT/#token=…"}
      </pre>
    </main>
  )
}
