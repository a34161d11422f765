import { spawnSync } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"

const script = pathToFileURL(fileURLToPath(new URL("../../../scripts/workbench.mjs", import.meta.url))).href

/** Builds the page as the product does, unless it is fresh: once, before any file of tests looks at it. */
export default function buildPage(): void {
  const build = `const { buildWorkbench } = await import(${JSON.stringify(script)})
process.exit(buildWorkbench(process.execPath) ? 0 : 1)`
  const args = ["--input-type=module", "-e", build]
  const done = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 900_000 })
  if (done.status !== 0) throw new Error(`The workbench was not built: ${done.stdout}${done.stderr}`)
}
