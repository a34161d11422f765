import { get } from "node:http"
import { join } from "node:path"
import type { Model } from "@factum/runtime"
import { startHost } from "../apps/host/src/host.ts"
import { type Figure, figure, inTemporaryFolder, quantile } from "./measure.ts"

/** From the provider's first chunk to the reader of the stream, through log, tail and socket. */
export function streaming(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    let given = 0
    const model: Model = {
      provider: "bench",
      name: "bench",
      async *stream() {
        await new Promise((resolve) => setTimeout(resolve, 60))
        given = performance.now()
        yield { kind: "text", part_id: "p0", text: "Hello" }
        yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
      },
    }
    const host = await startHost({ directory: join(folder, "data"), model, port: 0 })
    if (!host.ok) throw new Error(JSON.stringify(host))
    const headers = { authorization: `Bearer ${host.token}`, "content-type": "application/json" }
    const submit = async (where: object) => {
      const body = JSON.stringify({ input: { ...where, input: [{ kind: "text", text: "go" }] } })
      const response = await fetch(`${host.url}v1/commands/submit_turn`, { method: "POST", headers, body })
      return ((await response.json()) as { result: { session_id: string } }).result
    }
    const { session_id } = await submit({ create: "session" })
    const times: number[] = []
    let ended = () => {}
    const request = get(`${host.url}v1/sessions/${session_id}/facts?after=0`, { headers }, (response) => {
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        if (chunk.includes('"model.delta"')) times.push(performance.now() - given)
        if (chunk.includes('"turn.completed"')) ended()
      })
    })
    for (let round = 0; round < 60; round++) {
      const done = new Promise<void>((resolve) => {
        ended = resolve
      })
      await submit({ session_id })
      await done
    }
    request.destroy()
    await host.close()
    const [p50, p95] = [quantile(times.slice(5), 0.5), quantile(times.slice(5), 0.95)]
    return [
      figure("provider's first chunk to SSE client, p50", "ms", p50, "limit", 10, { at_most: 1 }),
      figure("the same, p95", "ms", p95, "limit of the p50", 10, { at_most: 2 }),
    ]
  })
}
