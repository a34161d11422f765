import {
  type AgentUiEvent,
  availablePorts,
  changeLocal,
  createAgentUiStore,
  createIntents,
  createViews,
  type Intent,
  type IntentResult,
  type OwnerPorts,
  type PortAnswer,
  type PortName,
  type SurfaceName,
  type ViewOf,
  type ViewScope,
} from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { useAgentUi } from "@factum/agent-ui/react"
import type { Envelope } from "@factum/facts"
import { useState } from "react"
import { createRoot } from "react-dom/client"
import { type Reach, ReachContext } from "../../src/client/page.ts"
import { type Language, languages, WordsContext } from "../../src/i18n/words.ts"
import { reportOf } from "../../src/report/report.ts"
import { ArtifactWorkspace } from "../../src/surfaces/ArtifactWorkspace.tsx"
import { Diagnostics } from "../../src/surfaces/Diagnostics.tsx"
import { TeamPolicy } from "../../src/surfaces/TeamPolicy.tsx"
import { TimelineEvidence } from "../../src/surfaces/TimelineEvidence.tsx"

export type Setup = {
  session: string
  surface: "artifact_workspace" | "timeline_evidence" | "diagnostics" | "team_policy"
  language?: Language
  theme?: "light" | "dark"
  ports?: readonly PortName[]
  item?: string
}

/** What a test does to the page, and what it sees leaving it. */
export type Bench = {
  setup(setup: Setup): void
  facts(facts: readonly Envelope[]): void
  events(events: readonly AgentUiEvent[]): void
  blobs: Map<string, string>
  answers: Map<PortName, PortAnswer>
  /** While set, ports answer after it. */
  held?: Promise<void>
  calls: { port: PortName; call: unknown }[]
  opened: unknown[]
  expanded(id: string): string | undefined
  expandInline(id: string): void
  report(): string
}

declare global {
  var bench: Bench
}

const store = createAgentUiStore()
const views = createViews()
let render: (setup: Setup) => void = () => undefined

function portsOf(names: readonly PortName[]): OwnerPorts {
  const port = (name: PortName) => async (call: unknown) => {
    bench.calls.push({ port: name, call })
    await bench.held
    return bench.answers.get(name) ?? { ok: true }
  }
  return Object.fromEntries(names.map((name) => [name, port(name)]))
}

const reach: Reach = {
  preview: async (html) =>
    (await fetch("/v1/previews", { method: "POST", body: JSON.stringify({ html }) })).json(),
  local: (action) => store.update((state) => changeLocal(state, action)),
  read: async (ref) => {
    const text = bench.blobs.get(ref)
    return text === undefined
      ? { ok: false, refusal: { code: "not_found", message: `There is no blob ${ref}.` } }
      : { ok: true, result: new TextEncoder().encode(text) }
  },
}

function Page({ setup }: { setup: Setup }) {
  const [ports] = useState(() => portsOf(setup.ports ?? []))
  const [available] = useState(() => availablePorts(ports))
  const [intents] = useState(() => createIntents({ ports, state: store.getSnapshot }))
  const scope: ViewScope = { sessionId: setup.session }
  const onIntent = async (intent: Intent): Promise<IntentResult> => {
    if (intent.control !== "open_detail") return intents.send(intent)
    bench.opened.push(intent.target)
    return { status: "sent" }
  }
  const [intent] = useState(() => onIntent)
  function useView<S extends SurfaceName>(name: S): ViewOf<S> {
    return useAgentUi(store, (state) => views.of(name, state, scope, available))
  }
  const artifacts = useView("artifact_workspace")
  const timeline = useView("timeline_evidence")
  const diagnostics = useView("diagnostics")
  const policy = useView("team_policy")
  return (
    <WordsContext value={languages[setup.language ?? "en"]}>
      <ReachContext value={reach}>
        <div className="h-dvh">
          {setup.surface === "artifact_workspace" && <ArtifactWorkspace view={artifacts} onIntent={intent} />}
          {setup.surface === "timeline_evidence" && (
            <TimelineEvidence
              view={timeline}
              onIntent={intent}
              item={setup.item}
              link={(item) => `#/s/${setup.session}/timeline/${encodeURIComponent(item)}`}
              sessionId={setup.session}
            />
          )}
          {setup.surface === "diagnostics" && <Diagnostics view={diagnostics} onIntent={intent} />}
          {setup.surface === "team_policy" && <TeamPolicy view={policy} onIntent={intent} />}
        </div>
      </ReachContext>
    </WordsContext>
  )
}

let session = ""
globalThis.bench = {
  setup(setup) {
    session = setup.session
    document.documentElement.dataset.theme = setup.theme ?? "light"
    document.documentElement.lang = setup.language ?? "en"
    render(setup)
  },
  facts: (facts) => store.dispatch(facts.map(fromRuntime)),
  events: (events) => store.dispatch(events),
  blobs: new Map(),
  answers: new Map(),
  calls: [],
  opened: [],
  expanded: (id) => store.getSnapshot().local.expanded.get(id),
  expandInline: (id) => reach.local({ kind: "expand", id, where: "inline" }),
  report() {
    const none = availablePorts({})
    const of = <S extends SurfaceName>(name: S, more?: { runId: string }) =>
      views.of(name, store.getSnapshot(), { sessionId: session, window: { from: 0, to: 1e9 }, ...more }, none)
    return reportOf({
      of,
      words: languages.en,
      sessionId: session,
      title: "A session",
      now: "2026-03-04T09:00:00Z",
    })
  },
}

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
const react = createRoot(root)
let made = 0
render = (setup) => react.render(<Page key={made++} setup={setup} />)
