import { call, declarationRef, purpose, wasText } from "./call.ts"
import { codeSpan, escapeText, fenced, oneLine } from "./escape.ts"
import type { HistoryEntry, Shortened, Telling, ToldTurn } from "./history.ts"
import { aggregateStatus, nextStep, type ToldAction, toldActions } from "./record.ts"
import type { RunRecord } from "./run.ts"
import { modelMaySee } from "./visibility.ts"

const protocolHeading = "## Assistant protocol request and runtime observations"

/** The body of one turn, without its tags. */
export function turnText(turn: ToldTurn): string {
  const { source, telling } = turn
  switch (source.kind) {
    case "user":
      return `## User request\n\n${escapeText(source.text)}`
    case "boundary":
      return `## Earlier turns, summed up\n\n${escapeText(source.text)}`
    case "answer":
      return `## Assistant answer\n\n${escapeText(source.text)}`
    case "run":
      return [protocolHeading, ...runBlocks(source.run, turn)].join("\n\n")
    case "refused":
      return [protocolHeading, ...refusedBlocks(source, telling)].join("\n\n")
  }
}

function runBlocks(run: RunRecord, { telling, hidden, why, continues, shortened }: ToldTurn): string[] {
  const replaced = why === "superseded"
  const head = [
    `run_id: ${codeSpan(run.run_id)}`,
    `Purpose: ${replaced ? `Replaced by run ${codeSpan(run.superseded_by ?? "")}.` : purpose(run)}`,
    `Status: ${aggregateStatus(run)}`,
    ...earlier(run, continues === true),
  ]
  if (telling === "line") return [[...head, ...(replaced ? [] : ["Continued in a later turn."])].join("\n")]
  if (telling === "summary") head.push(`Declaration: ${declarationRef(run)}`)
  const declaration = telling === "exact" ? ["### Declaration", fenced("md", run.declaration.source)] : []
  const left = new Set(hidden)
  const next = replaced ? [] : nextLine(run, telling)
  return [
    head.join("\n"),
    ...declaration,
    ...toldActions(run).flatMap((told, at) =>
      left.has(told.id)
        ? []
        : [...call(run, told, telling, at), ...result(told, telling, shortened?.get(told.id))],
    ),
    ...next,
  ]
}

/** Earlier turns stay as they were told, so the later one says what became of them. */
function earlier({ declaration }: RunRecord, continues: boolean): string[] {
  return [
    ...(declaration.intent === "revise"
      ? [`Revises: run ${codeSpan(declaration.run_id)}, of which only completed results still count.`]
      : []),
    ...(continues ? ["Continues: the run of this id in an earlier turn, as it stands now."] : []),
  ]
}

function nextLine(run: RunRecord, telling: Telling): string[] {
  const step = nextStep(run)
  if (step === "wait") return ["Next: A person must act on this run before it goes on."]
  if (step === "decide")
    return ["Next: Decide on this run (retry, continue or abort), revise it, or answer with what there is."]
  // The plain form shows a finished run without it: the instruction after the turns says the same.
  return telling === "calls" ? [] : ["Next: Answer the user, or declare further work."]
}

function result(told: ToldAction, telling: Telling, shortened: Shortened | undefined): string[] {
  const { observation } = told
  const lines = [`Status: ${told.status}`]
  if (observation !== undefined && observation.refs.length > 0)
    lines.push(`Artifacts: ${observation.refs.map(oneLine).join(", ")}`)
  const reason = reasonOf(told)
  if (reason !== undefined) lines.push(`Reason: ${oneLine(reason)}`)
  const failed = earlierFailures(told)
  if (failed.length > 0) lines.push(`Earlier attempts: ${failed.length} failed (${failed.join(", ")})`)
  if (observation?.withheld !== undefined) lines.push(`Withheld: ${oneLine(observation.withheld)}`)
  const content = contentOf(told, telling, shortened)
  if (shortened !== undefined)
    lines.push(`Shortened: ${shortened === "summary" ? "a summary" : "nothing"} had room in this request`)
  else if (observation?.omitted !== undefined && telling !== "summary")
    lines.push(`Omitted: ${observation.omitted.tokens} tokens, ${observation.omitted.characters} characters`)
  return [
    `### Result for ${oneLine(told.id)}`,
    lines.join("\n"),
    ...(content === "" ? [] : [fenced("md", content)]),
  ]
}

/** What the policy returned; of what is told in short, only the summary. */
export function contentOf({ observation }: ToldAction, telling: Telling, shortened?: Shortened): string {
  if (observation === undefined || shortened === "reference") return ""
  return telling === "summary" || shortened === "summary" ? observation.summary : observation.content
}

function reasonOf({ action, observation, state, status }: ToldAction): string | undefined {
  if (status === "completed") return undefined
  if (observation?.reason !== undefined) return observation.reason
  if (state?.reason === undefined) return undefined
  const quiet = (action !== undefined && !modelMaySee(action)) || observation?.policy === "none"
  return quiet ? state.reason.code : `${state.reason.code}: ${state.reason.message}`
}

/** The codes of failed attempts before the last one. */
export function earlierFailures({ state }: ToldAction): readonly string[] {
  const before = state?.attempts.slice(0, -1) ?? []
  return before.flatMap(({ outcome }) => (outcome?.status === "failed" ? [outcome.reason.code] : []))
}

function refusedBlocks(refused: Extract<HistoryEntry, { kind: "refused" }>, telling: Telling): string[] {
  const head = (purpose: string) => `run_id: \`none\`\nPurpose: ${purpose}\nStatus: failed`
  if (telling === "line") return [head("A declaration that was refused and later repaired.")]
  const source = refused.source !== undefined && wasText(refused.origin) ? refused.source : undefined
  const issues = refused.issues.map(
    ({ code, path, message, fix }) =>
      `- ${code}${path === "" ? "" : ` at ${codeSpan(path)}`}: ${oneLine(message)} ${oneLine(fix)}`,
  )
  return [
    head("A declaration that was refused. Nothing of it was executed."),
    ...(source === undefined ? [] : ["### Declaration", fenced("md", source)]),
    "### Protocol error",
    issues.join("\n"),
    "Next: Correct these points and declare again, as simple calls where these are enough.",
  ]
}
