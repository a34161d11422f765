import type { Intent, IntentResult, SurfaceName, View } from "@factum/agent-ui"
import { type ComponentType, useCallback, useEffect, useMemo, useState } from "react"
import { type Reach, ReachContext } from "../client/page.ts"
import { languages, WordsContext } from "../i18n/words.ts"
import type { SurfaceProps } from "../surfaces/props.ts"
import { bytesIn } from "./bytes.ts"
import { type GalleryChoice, readChoice, writeChoice } from "./choice.ts"
import { Switches } from "./Switches.tsx"
import { loadNames, loadTrace, stage, type Trace } from "./stage.ts"
import { exhibits } from "./surfaces.ts"
import { StageContext } from "./talk.tsx"

/** Every surface in every state over the recorded traces; its address names what is shown. */
export function Gallery() {
  const [choice, setChoice] = useState(() => readChoice(location.search))
  const [trace, setTrace] = useState<Trace>()
  const [names, setNames] = useState<readonly string[]>([])
  const [problem, setProblem] = useState<string>()
  const [intents, setIntents] = useState<readonly Intent[]>([])
  const choose = useCallback((change: Partial<GalleryChoice>) => {
    setChoice((before) => {
      const next = { ...before, ...change }
      history.replaceState(null, "", writeChoice(next))
      return next
    })
  }, [])
  useEffect(() => void loadNames().then(setNames, () => setNames([])), [])
  useEffect(() => {
    setProblem(undefined)
    loadTrace(choice.trace).then(setTrace, (error: unknown) => setProblem(String(error)))
  }, [choice.trace])
  useEffect(() => {
    document.documentElement.dataset.theme = choice.theme
    document.documentElement.lang = choice.language === "zh" ? "zh-CN" : "en"
  }, [choice.theme, choice.language])
  const take = useCallback(
    async (intent: Intent): Promise<IntentResult> => {
      setIntents((before) => [...before, intent])
      if (intent.control === "open_detail" && intent.target.kind === "artifact")
        choose({ artifact: intent.target.id })
      return { status: "sent" }
    },
    [choose],
  )
  const staging = useMemo(() => {
    if (trace?.name !== choice.trace) return undefined
    return stage(trace, choice)
  }, [trace, choice])
  const reach = useMemo<Reach>(() => {
    const kept = bytesIn(trace?.facts ?? [])
    return {
      local: () => undefined,
      read: async (ref) => {
        const bytes = kept.get(ref)
        return bytes === undefined ? notTold : { ok: true, result: bytes }
      },
    }
  }, [trace])
  return (
    <WordsContext value={languages[choice.language]}>
      <main className="flex h-full flex-col">
        <h1 className="sr-only">Factum gallery</h1>
        {!choice.bare && (
          <Switches
            choice={choice}
            names={names}
            facts={trace?.facts.length ?? 0}
            agents={staging?.agents ?? []}
            onChoose={choose}
          />
        )}
        {problem !== undefined && <p role="alert">{problem}</p>}
        <div className="thin-scroll min-h-0 flex-1 overflow-auto">
          <div
            className="border-line h-full border-r"
            data-stage={staging === undefined ? "loading" : "ready"}
            style={choice.width === undefined ? undefined : { width: choice.width }}
          >
            {staging && (
              <StageContext value={staging}>
                <ReachContext value={reach}>
                  <Exhibit surface={choice.surface} view={staging.view} onIntent={take} />
                </ReachContext>
              </StageContext>
            )}
          </div>
        </div>
        <output className="sr-only" data-intents>
          {JSON.stringify(intents)}
        </output>
      </main>
    </WordsContext>
  )
}

const notTold = {
  ok: false,
  refusal: { code: "not_found", message: "The trace does not tell these bytes." },
} as const

function Exhibit({ surface, view, onIntent }: SurfaceProps<View> & { surface: SurfaceName }) {
  // The table pairs each component with its view, which the compiler cannot follow through a key.
  const Surface = exhibits[surface]?.component as ComponentType<SurfaceProps<View>> | undefined
  return Surface === undefined ? <p>{surface}</p> : <Surface key={surface} view={view} onIntent={onIntent} />
}
