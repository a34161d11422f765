import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import type { ToolEffect } from "@factum/facts"
import type { SideEffect } from "@factum/protocol"
import { textOf } from "../../outputs/text.ts"
import type { Tool, ToolOutcome, ToolRun } from "../../ports/tool.ts"
import { misfit } from "../../schema.ts"
import { because, failed } from "./define.ts"
import { stoppedBefore } from "./network.ts"

export type ServiceSpec = {
  name: string
  description: string
  url: string
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  headers?: Readonly<Record<string, string>>
  input_schema: Readonly<Record<string, unknown>>
  output_schema?: Readonly<Record<string, unknown>>
  effect: ToolEffect
  side_effects: readonly SideEffect[]
  timeout_ms?: number
}

const usualTimeMs = 30_000
const mostBytes = 5_242_880

/** An HTTP endpoint with a declared schema. It is judged as network, and what it says is checked before it is told. */
export function serviceTool(spec: ServiceSpec): Tool {
  const { name, description, url, input_schema, effect, side_effects, timeout_ms = usualTimeMs } = spec
  return {
    name,
    kind: "service",
    owner: "service",
    description,
    input_schema,
    effect,
    side_effects,
    capabilities: ["service"],
    time_limit_ms: timeout_ms,
    check(input) {
      const wrong = misfit(input_schema, input)
      return wrong === undefined ? [] : [wrong]
    },
    touches: async () => [{ kind: "network", url }],
    async run(input, run) {
      const stopped = await stoppedBefore(new URL(url).hostname, run)
      if (stopped !== undefined) return stopped
      const sent = { begun: false }
      try {
        return outcomeOf(spec, await send(spec, input, run, sent))
      } catch (error) {
        const isUnsure = effect === "once" && sent.begun
        const category = isUnsure ? "outcome_unknown" : "tool_error"
        const next = isUnsure ? "Look whether it was done before it is sent again." : undefined
        if (error instanceof TooLarge)
          return failed(category, `${name} answered with more than ${mostBytes} bytes.`, next)
        const what = sent.begun ? "was reached, and the connection broke" : "could not be reached"
        return failed(category, `${name} ${what}: ${because(error)}`, next)
      }
    },
  }
}

class TooLarge extends Error {}
type Answer = { status: number; body: Uint8Array; media_type: string }

/** A redirect is told and not followed: it leads to what nobody has judged. */
function send(
  spec: ServiceSpec,
  input: Readonly<Record<string, unknown>>,
  run: ToolRun,
  sent: { begun: boolean },
): Promise<Answer> {
  const { method, headers = {} } = spec
  const url = new URL(spec.url)
  const bare = method === "GET" || method === "DELETE"
  if (bare) for (const [key, value] of Object.entries(input)) url.searchParams.set(key, textual(value))
  const body = bare ? "" : JSON.stringify(input)
  const open = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = open(
      url,
      {
        method,
        agent: false,
        signal: run.signal,
        headers: {
          accept: "application/json",
          ...(bare ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          "idempotency-key": run.key,
          ...headers,
        },
      },
      (response) => answerOf(response).then(resolve, reject),
    )
    // From here on it may arrive, whatever becomes of the connection.
    const begins = url.protocol === "https:" ? "secureConnect" : "connect"
    request.on("socket", (socket) => socket.once(begins, () => Object.assign(sent, { begun: true })))
    request.on("error", reject).end(body)
  })
}

const textual = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response) {
    const bytes = Buffer.from(piece)
    size += bytes.byteLength
    if (size > mostBytes) throw new TooLarge()
    pieces.push(bytes)
  }
  const media_type = response.headers["content-type"]?.split(";")[0]?.trim() || "application/octet-stream"
  return { status: response.statusCode ?? 0, body: Buffer.concat(pieces), media_type }
}

function outcomeOf({ name, output_schema }: ServiceSpec, { status, body, media_type }: Answer): ToolOutcome {
  const text = textOf(body)
  if (status < 200 || status > 299) {
    const told = failed("tool_error", `${name} answered ${status}.`)
    return text === undefined ? told : { ...told, output: text }
  }
  if (text === undefined) return { ok: true, output: body, media_type }
  const value = parsed(text)
  const wrong = output_schema === undefined ? undefined : misfit(output_schema, value)
  if (wrong !== undefined) {
    const where = wrong.path === "" ? "" : ` at ${wrong.path}`
    return {
      ...failed("tool_error", `${name} answered with what it does not declare${where}: ${wrong.message}.`),
      output: text,
    }
  }
  return { ok: true, output: text || "(empty)", ...(value === undefined ? {} : { data: value }) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
