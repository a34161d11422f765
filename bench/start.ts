import { spawn } from "node:child_process"
import { join } from "node:path"
import { type Figure, figure, inTemporaryFolder, median } from "./measure.ts"

const root = join(import.meta.dirname, "..")

/** From the command to the printed URL, when everything is installed and built. */
export function start(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    await once(folder)
    const times: number[] = []
    for (let round = 0; round < 5; round++) times.push(await once(folder))
    return [figure("npm start, second time, to the URL", "s", median(times), "limit", 3, { at_most: 1 })]
  })
}

function once(folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let took = 0
    const args = ["start", "--", "--no-open", "--port", "0", "--data", join(folder, "data")]
    const child = spawn("npm", args, { cwd: root, detached: true })
    child.stdout.on("data", (bytes: Buffer) => {
      if (took > 0 || !bytes.toString().includes("Factum is running")) return
      took = (performance.now() - began) / 1000
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
    })
    child.on("error", reject)
    child.on("close", () => (took > 0 ? resolve(took) : reject(new Error("the host did not start"))))
  })
}
