import { constants } from "node:os"
import { hasScreen, openBrowser } from "./browser.ts"
import type { Host, NotStarted } from "./host.ts"
import { openHost } from "./opening.ts"
import { type Options, parseOptions, startHelp } from "./options.ts"

/** How long a host that met an error of its own may take to close. */
const PATIENCE_MS = 10_000

/** `factum start`: the host and its workbench. Gives the exit code; the host goes on until a signal. */
export async function start(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.kind === "help") return told(startHelp.trimEnd())
  if (options.kind === "wrong") return fail(options.message, 2)
  const opened = await openHost(options, { tell: (note) => console.error(note) })
  if (!opened.ok) {
    if ("reason" in opened) return notStarted(opened.reason, options)
    return fail("usage" in opened ? opened.usage : "No model can be asked.", 2)
  }
  const { host } = opened
  // Before the line is printed: who reads it may end the host right away.
  end(host)
  if (host.note) console.error(host.note)
  console.log(`Factum is running at ${host.page}`)
  show(host.page, options)
  return 0
}

function notStarted(reason: NotStarted, options: Options): number {
  if (reason.code !== "running") return fail(reason.message, 1)
  console.log(`Factum is already running at ${reason.page} (process ${reason.pid}).`)
  show(reason.page, options)
  return 0
}

function show(page: string, { open }: Options): void {
  if (open && hasScreen(process)) openBrowser(page)
}

/** A process group gets a signal as a whole, and a parent in it passes its own on: within this time it is the same one. */
const echoMs = { SIGINT: 500, SIGTERM: 2000, SIGHUP: 2000 } as const

/** A second signal means "at once": what was acknowledged is on the disk already. */
function end(host: Host): void {
  // A terminal that was closed takes no more words; the host ends in order all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  let closing = false
  const close = (code: number) => {
    closing = true
    host.close().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  let first: { signal: NodeJS.Signals; at: number } | undefined
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const at = performance.now()
      if (first?.signal === signal && at - first.at < echoMs[signal]) return
      if (closing) process.exit(128 + constants.signals[signal])
      first = { signal, at }
      console.log("Factum is stopping; what was acknowledged is kept.")
      close(0)
    })
  }
  // A host that can write nothing would refuse all work for good; whoever keeps it running may start it anew.
  host.died.then((reason) => {
    if (closing) return
    console.error(
      `Factum stops, because its log cannot be written any more: ${reason}. What was acknowledged is kept. Whether what was being written at that moment is in the log is not known; start Factum again to see.`,
    )
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
    close(1)
  })
  // What one request began and nobody waits for must not end the work of all others; the log holds what is true.
  process.on("unhandledRejection", (reason) => console.error(reason))
  // After this nobody knows what state the process is in; work goes on from the log when it is started again.
  process.on("uncaughtException", (error) => {
    console.error(error)
    if (closing) return process.exit(1)
    console.error("Factum met an error of its own and is stopping; what was acknowledged is kept.")
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
    close(1)
  })
}

function told(text: string): number {
  console.log(text)
  return 0
}

function fail(message: string, code: number): number {
  console.error(message)
  return code
}
