import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { isInner, outerLookup } from "./addresses.ts"

export type WebLimits = { bytes: number; time_ms: number; redirects: number; inner: boolean }

export type WebAnswer =
  | { kind: "content"; url: string; status: number; media_type: string; body: Uint8Array; cut: boolean }
  /** Another host: whoever asked has to decide again. */
  | { kind: "redirect"; url: string; status: number; to: string }
  | { kind: "failed"; message: string; late: boolean }

/** Gets a page. Redirects are followed on the same host only. */
export async function get(address: string, limits: WebLimits, signal: AbortSignal): Promise<WebAnswer> {
  const time = AbortSignal.timeout(limits.time_ms)
  const stop = AbortSignal.any([signal, time])
  try {
    let url = new URL(address)
    for (let hops = 0; hops <= limits.redirects; hops++) {
      const response = await open(url, limits.inner, stop)
      const status = response.statusCode ?? 0
      const to = locationOf(response, url)
      if (to === undefined) return await contentOf(response, url, status, limits.bytes)
      response.destroy()
      const same = to.hostname === url.hostname && (to.port === url.port || to.protocol === "https:")
      if (!same || (url.protocol === "https:" && to.protocol === "http:")) {
        return { kind: "redirect", url: url.href, status, to: to.href }
      }
      url = to
    }
    return { kind: "failed", message: `It redirects more than ${limits.redirects} times.`, late: false }
  } catch (error) {
    if (time.aborted) return { kind: "failed", message: `No answer within ${limits.time_ms} ms.`, late: true }
    return { kind: "failed", message: error instanceof Error ? error.message : String(error), late: false }
  }
}

function open(url: URL, inner: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  // An address is used without a lookup, so it is looked at here.
  if (!inner && isIP(host) !== 0 && isInner(host)) {
    return Promise.reject(new Error(`${host} is an address of the inner network.`))
  }
  const options: RequestOptions = {
    signal,
    agent: false,
    headers: {
      accept: "text/html,text/*,application/json;q=0.9,*/*;q=0.5",
      "accept-encoding": "identity",
      "user-agent": "factum",
    },
    ...(inner ? {} : { lookup: outerLookup }),
  }
  const send = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    send(url, options, resolve).on("error", reject).end()
  })
}

function locationOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  return new URL(headers.location, url)
}

async function contentOf(
  response: IncomingMessage,
  url: URL,
  status: number,
  most: number,
): Promise<WebAnswer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response) {
    const bytes = Buffer.from(piece)
    pieces.push(bytes.subarray(0, Math.max(0, most - size)))
    size += bytes.byteLength
    if (size > most) break
  }
  const media_type = response.headers["content-type"]?.split(";")[0]?.trim() || "application/octet-stream"
  return { kind: "content", url: url.href, status, media_type, body: Buffer.concat(pieces), cut: size > most }
}
