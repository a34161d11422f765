import type { Preview, Ref, RuntimeEvent } from "@factum/facts"
import type { Clock } from "../ports/clock.ts"
import type { ToolFact } from "../ports/tool.ts"
import { fits } from "../wildcard.ts"
import { type Answered, malformed, readAnswer } from "./answer.ts"
import { runCommand } from "./command.ts"
import { defaultTimeoutMs, type FunctionHook, type Hook, type HookCall } from "./declaration.ts"

export type HookVerdict = "allow" | "ask" | "deny" | "none"

export type HookPorts = {
  clock: Clock
  /** A fresh id for one run of one hook. */
  nextId(): string
  /** The text without the secrets in it. */
  mask(text: string): string
  /** Keeps a text; undefined when it could not be kept. */
  keep(text: string): Promise<Ref | undefined>
  /** False when the work is over and nothing more may happen. */
  record(facts: readonly ToolFact[]): Promise<boolean>
  /** Where commands run. */
  cwd: string
  signal: AbortSignal
}

export type HookOutcome = {
  /** The strictest of all; whether an allow lifts anything is for the policy to judge. */
  verdict: HookVerdict
  /** One for each hook that ran, in order; a failed one has no opinion. */
  heard: readonly { hook: string; verdict: HookVerdict | "error"; note?: string }[]
  /** What the operation goes on with. */
  input: Readonly<Record<string, unknown>>
  rewritten_by: readonly string[]
  /** A closed hook failed: the operation must not happen. */
  blocked?: { category: "hook_blocked"; hook: string; message: string; next: string }
  /** The work was interrupted or is over; nothing more may happen. */
  stopped: boolean
}

type Payload<T extends RuntimeEvent["type"]> = Extract<RuntimeEvent, { type: T }>["payload"]
const strictness = { none: 0, allow: 1, ask: 2, deny: 3 } as const
const mostPreview = 8192

/** Calls every hook of the point, one after another in the order of their declaration. Does not throw. */
export async function runHooks(
  call: HookCall,
  hooks: readonly Hook[],
  ports: HookPorts,
): Promise<HookOutcome> {
  let outcome: HookOutcome = {
    verdict: "none",
    heard: [],
    input: call.input,
    rewritten_by: [],
    stopped: false,
  }
  let order = 0
  for (const hook of hooks.filter((one) => concerns(one, call))) {
    if (ports.signal.aborted) return { ...outcome, stopped: true }
    outcome = await runOne(hook, order++, { ...call, input: outcome.input }, outcome, ports)
    if (outcome.stopped) break
  }
  return outcome
}

function concerns(hook: Hook, { point, subject }: HookCall): boolean {
  if (hook.on !== point) return false
  return hook.match === undefined || (subject !== undefined && fits(hook.match, subject))
}

async function runOne(
  hook: Hook,
  order: number,
  call: HookCall,
  before: HookOutcome,
  ports: HookPorts,
): Promise<HookOutcome> {
  const { clock, record } = ports
  const failure_policy = hook.failure_policy ?? "closed"
  const run = { hook_run_id: ports.nextId(), hook: hook.name, failure_policy }
  const input = await shown(JSON.stringify(call.input), ports)
  const started: Payload<"hook.started"> = { ...run, point: call.point, order, input: input.preview }
  if (input.ref !== undefined) started.input_ref = input.ref
  if (!(await record([{ type: "hook.started", payload: started }]))) return { ...before, stopped: true }

  const from = clock.now()
  const answered = await ask(hook, call, ports)
  const duration_ms = Math.max(0, Math.round(clock.now() - from))
  const output = await shown(answered.output, ports)
  const rewrite = answered.ok ? await keepRewrite(call, answered.answer.rewrite, ports) : undefined

  if (!answered.ok || rewrite === "unkept") {
    const { cause, message } = answered.ok
      ? { cause: "threw" as const, message: "The rewritten input could not be kept, so it is not used." }
      : answered.failure
    const interrupted = cause === "interrupted"
    const effect = interrupted || failure_policy === "closed" ? "blocked" : "continued"
    const payload: Payload<"hook.failed"> = {
      ...run,
      cause,
      message: ports.mask(message),
      effect,
      output: output.preview,
      duration_ms,
    }
    const written = await record([{ type: "hook.failed", payload }])
    const heard = [...before.heard, { hook: hook.name, verdict: "error" as const, note: message }]
    const failed = { ...before, heard, stopped: !written || interrupted }
    return effect === "blocked" && !interrupted ? blockedBy(hook.name, message, failed) : failed
  }

  const { verdict, note } = answered.answer
  const payload: Payload<"hook.completed"> = { ...run, verdict, output: output.preview, duration_ms }
  if (output.ref !== undefined) payload.output_ref = output.ref
  if (rewrite !== undefined) payload.rewrite = rewrite.refs
  const written = await record([{ type: "hook.completed", payload }])
  return {
    ...before,
    verdict: strictness[verdict] > strictness[before.verdict] ? verdict : before.verdict,
    heard: [...before.heard, { hook: hook.name, verdict, ...(note === undefined ? {} : { note }) }],
    input: rewrite?.input ?? call.input,
    rewritten_by: rewrite === undefined ? before.rewritten_by : [...before.rewritten_by, hook.name],
    stopped: !written,
  }
}

function blockedBy(hook: string, reason: string, outcome: HookOutcome): HookOutcome {
  if (outcome.blocked !== undefined) return outcome
  const message = `The hook ${hook} failed, so this was not done: ${reason}`
  const next = `Repair the hook ${hook}, or declare its failure_policy as open.`
  return { ...outcome, blocked: { category: "hook_blocked", hook, message, next } }
}

async function ask(hook: Hook, call: HookCall, ports: HookPorts): Promise<Answered> {
  try {
    return await (hook.kind === "command"
      ? runCommand(hook, call, ports)
      : runFunction(hook, call, ports.signal))
  } catch (error) {
    const message = `The hook threw: ${error instanceof Error ? error.message : String(error)}`
    return { ok: false, failure: { cause: "threw", message }, output: "" }
  }
}

/** A function cannot be killed: after its time its answer is no longer wanted, and its signal says so. */
async function runFunction(hook: FunctionHook, call: HookCall, outer: AbortSignal): Promise<Answered> {
  const limit = hook.timeout_ms ?? defaultTimeoutMs
  const controller = new AbortController()
  const over = Promise.withResolvers<Answered>()
  const give = (cause: "timed_out" | "interrupted", message: string) =>
    over.resolve({ ok: false, failure: { cause, message }, output: "" })
  const timer = setTimeout(() => give("timed_out", `The hook did not answer within ${limit} ms.`), limit)
  const interrupt = () => give("interrupted", "The work was interrupted.")
  outer.addEventListener("abort", interrupt, { once: true })
  try {
    const answer = (async () => {
      const given = plain(await hook.run(frozen(call), controller.signal))
      return given.ok ? readAnswer(given.value, call.point) : malformed("The hook's answer is no JSON.", "")
    })()
    return await Promise.race([answer, over.promise])
  } finally {
    clearTimeout(timer)
    outer.removeEventListener("abort", interrupt)
    controller.abort()
  }
}

async function keepRewrite(call: HookCall, rewrite: Record<string, unknown> | undefined, ports: HookPorts) {
  if (rewrite === undefined) return undefined
  const original_ref = await ports.keep(ports.mask(JSON.stringify(call.input)))
  const new_ref = await ports.keep(ports.mask(JSON.stringify(rewrite)))
  if (original_ref === undefined || new_ref === undefined) return "unkept"
  return { input: rewrite, refs: { original_ref, new_ref } }
}

/** A preview, and a ref to the whole where that is more. */
async function shown(text: string, ports: HookPorts): Promise<{ preview: Preview; ref?: Ref }> {
  const masked = ports.mask(text)
  if (masked.length <= mostPreview) return { preview: { text: masked, whole: true } }
  const preview = { text: masked.slice(0, mostPreview), whole: false }
  const ref = await ports.keep(masked)
  return ref === undefined ? { preview } : { preview, ref }
}

/** A copy, so that a hook that keeps its answer cannot change it later. */
function plain(value: unknown): { ok: true; value: unknown } | { ok: false } {
  if (value === undefined) return { ok: true, value }
  try {
    return { ok: true, value: JSON.parse(JSON.stringify(value)) }
  } catch {
    return { ok: false }
  }
}

function frozen<T>(value: T): T {
  const freeze = (one: unknown): void => {
    if (typeof one !== "object" || one === null) return
    Object.values(one).forEach(freeze)
    Object.freeze(one)
  }
  const copy = structuredClone(value)
  freeze(copy)
  return copy
}
