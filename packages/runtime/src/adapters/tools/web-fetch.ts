import { z } from "zod"
import { decoded, textOf, unfinished } from "../../outputs/text.ts"
import type { ToolOutcome } from "../../ports/tool.ts"
import { defineTool, failed } from "./define.ts"
import { textOfHtml } from "./html.ts"
import { stoppedBefore } from "./network.ts"
import { get, type WebAnswer, type WebLimits } from "./web-request.ts"

export const webLimits: WebLimits = { bytes: 5_242_880, time_ms: 30_000, redirects: 5, inner: false }

export const webFetch = (given: Partial<WebLimits> = {}) => {
  const limits = { ...webLimits, ...given }
  return defineTool({
    name: "web_fetch",
    description:
      "Gets a page or file by http or https. Pages come as readable text. " +
      "A redirect to another host is told, not followed: fetch it if you want it.",
    input: z.strictObject({
      url: z.url({ protocol: /^https?$/ }).max(2_048),
      raw: z.boolean().optional().describe("The page as it is sent, with its markup."),
    }),
    effect: "repeatable",
    side_effects: ["read", "external"],
    capabilities: ["web"],
    touches: async ({ url }) => [{ kind: "network", url }],
    async run({ url, raw = false }, run) {
      const stopped = await stoppedBefore(new URL(url).hostname, run)
      if (stopped !== undefined) return stopped
      return outcomeOf(await get(url, limits, run.signal), raw, limits)
    },
  })
}

function outcomeOf(answer: WebAnswer, raw: boolean, limits: WebLimits): ToolOutcome {
  if (answer.kind === "failed") return failed(answer.late ? "time_limit" : "tool_error", answer.message)
  const { url, status } = answer
  if (answer.kind === "redirect") {
    const output = `${url} redirects to another host: ${answer.to}`
    return { ok: true, output, data: { url, status, redirect: answer.to } }
  }
  const { body, cut, media_type } = answer
  const whole = cut ? body.subarray(0, body.byteLength - unfinished(body)) : body
  const text = textOf(whole) ?? (media_type.startsWith("text/") ? decoded(whole) : undefined)
  const data = { url, status, media_type, bytes: body.byteLength, cut }
  if (text === undefined) return { ok: true, output: body, media_type, data }
  const shown = !raw && /html/.test(media_type) ? textOfHtml(text) : text
  const note = cut ? `\n(the first ${limits.bytes} bytes)` : ""
  if (status >= 400) return { ...failed("tool_error", `${url} answered ${status}.`), output: shown }
  return { ok: true, output: `${shown}${note}` || "(empty)", data }
}
