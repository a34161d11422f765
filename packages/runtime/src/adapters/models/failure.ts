import { AISDKError, APICallError } from "@ai-sdk/provider"
import type { ModelChunk } from "../../ports/model.ts"
import type { Author } from "./replay.ts"

export type Failure = Extract<ModelChunk, { kind: "error" }>

/** What is left of a provider's refusal after its many forms. */
type Refusal = {
  message: string
  status?: number
  code: string
  retryable?: boolean
  headers: Readonly<Record<string, string>>
  body: string
}

const malformedNames = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
])

/** Undefined when the stream just broke off: that is no word of the provider. */
export function failureOf(error: unknown, author: Author, now: number): Failure | undefined {
  if (isCut(error)) return undefined
  if (AISDKError.isInstance(error) && !APICallError.isInstance(error)) {
    const malformed = malformedNames.has(error.name)
    const reason = malformed
      ? `${author.provider} sent what its own format does not allow: ${firstLine(error.message)}`
      : `The request cannot be put to ${author.provider}: ${firstLine(error.message)}`
    return {
      kind: "error",
      category: malformed ? "malformed" : "provider_error",
      reason,
      retryable: malformed,
    }
  }
  const refusal = refusalOf(error)
  // The connection is up, and yet what came over it could not be understood.
  if (refusal === undefined) {
    const reason = `The answer of ${author.provider} could not be read: ${firstLine(messageOf(error))}`
    return { kind: "error", category: "malformed", reason, retryable: true }
  }
  return judged(refusal, author, now)
}

/** A dropped connection is a TypeError of fetch, wrapped or not; an unfinished answer a complaint about its end. */
function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (APICallError.isInstance(error)) {
    const { statusCode, cause } = error
    return statusCode !== undefined && statusCode < 400 && isCut(cause)
  }
  if (AISDKError.isInstance(error)) return error.message.includes("ended without a finish reason")
  if (error instanceof TypeError) return error.message === "terminated" || error.cause !== undefined
  return error.name === "AbortError"
}

function judged(refusal: Refusal, { provider, name }: Author, now: number): Failure {
  const { status, code, body } = refusal
  const said = firstLine(refusal.message)
  const of = status === undefined ? "" : ` (${status})`
  const wait = retryAfter(refusal, now)
  const more = {
    ...(status === undefined ? {} : { status }),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
  }
  const fail = (reason: string, rest: Omit<Failure, "kind" | "reason">): Failure => ({
    kind: "error",
    reason: `${reason} It said: ${said}`,
    ...rest,
    ...more,
  })
  const final = { category: "provider_error", retryable: false } as const
  const words = `${code} ${said} ${body}`
  if (/insufficient_quota|billing_error|credit balance/i.test(words) || status === 402) {
    const reason = `The account at ${provider} has no credit left${of}. Add credit or choose another model.`
    return fail(reason, { ...final, missing: "quota" })
  }
  if (status === 401 || status === 403 || /API_KEY_INVALID/.test(body)) {
    const reason = `${provider} refused the key${of}. Check the key that is set for ${provider}, and what it may use.`
    return fail(reason, { ...final, missing: "credential" })
  }
  if (
    /context_length_exceeded|prompt is too long|maximum context length|exceeds the maximum number of tokens/i.test(
      words,
    ) ||
    status === 413
  ) {
    const reason = `The request is too large for ${name}${of}. Shorten the context or choose a model with a larger window.`
    return fail(reason, { ...final, missing: "context_window" })
  }
  if (status === 429) {
    return fail(`${provider} limits the rate of requests${of}.`, {
      category: "rate_limited",
      retryable: true,
    })
  }
  if (status === 404) {
    const reason = `${provider} does not know the model ${name}${of}. Check its name and the address.`
    return fail(reason, { ...final, missing: "model" })
  }
  if (status === undefined && refusal.retryable === true) {
    const reason = `${provider} cannot be reached. Check the network, the address, and that the server runs.`
    return fail(reason, { category: "provider_error", retryable: true })
  }
  const retryable = status === undefined ? refusal.retryable === true : isPassing(status)
  const reason = retryable
    ? `${provider} has a problem of its own${of}.`
    : `${provider} refused the request${of}.`
  return fail(reason, { category: "provider_error", retryable })
}

const isPassing = (status: number): boolean => status === 408 || status === 409 || status >= 500

function refusalOf(error: unknown): Refusal | undefined {
  if (APICallError.isInstance(error)) {
    const { message, statusCode, responseHeaders = {}, responseBody = "", isRetryable, data } = error
    // A body that could not be read ends a good status with a complaint.
    if (statusCode !== undefined && statusCode < 400) return undefined
    const code = errorIn(data)
    return {
      message,
      ...(statusCode === undefined ? {} : { status: statusCode }),
      code,
      retryable: isRetryable,
      headers: responseHeaders,
      body: responseBody,
    }
  }
  if (error instanceof Error || !isRecord(error) || typeof error.message !== "string") return undefined
  const code = [error.type, error.code, error.status]
    .filter((word) => word !== undefined && word !== null)
    .join(" ")
  const status = typeof error.statusCode === "number" ? error.statusCode : statusOf(code)
  return {
    message: error.message,
    ...(status === undefined ? {} : { status }),
    code,
    ...(typeof error.isRetryable === "boolean" ? { retryable: error.isRetryable } : {}),
    headers: {},
    body: "",
  }
}

/** Errors inside a stream carry names where a response would carry a number. */
function statusOf(code: string): number | undefined {
  const number = /\b[45]\d\d\b/.exec(code)?.[0]
  if (number !== undefined) return Number(number)
  if (/rate_limit|RESOURCE_EXHAUSTED/i.test(code)) return 429
  if (/overloaded|server_error|UNAVAILABLE|INTERNAL|api_error/i.test(code)) return 500
  return undefined
}

function errorIn(data: unknown): string {
  if (!isRecord(data) || !isRecord(data.error)) return ""
  const { type, code, status } = data.error
  return [type, code, status].filter((word) => typeof word === "string").join(" ")
}

/** In milliseconds; from headers, or from Google's RetryInfo in the body. */
function retryAfter({ headers, body }: Refusal, now: number): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return exact
  const given = headers["retry-after"]
  if (given !== undefined) {
    const seconds = Number(given)
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1000)
    const at = Date.parse(given)
    const sent = Date.parse(headers.date ?? "")
    if (Number.isFinite(at)) return Math.max(0, at - (Number.isFinite(sent) ? sent : now))
  }
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1]
  return delay === undefined ? undefined : Math.ceil(Number(delay) * 1000)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? ""
  return line.length > 500 ? `${line.slice(0, 500)}…` : line || "nothing more."
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
