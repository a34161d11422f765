import { constants } from "node:os"
import { hasScreen, openBrowser } from "./browser.ts"
import type { Host, NotStarted } from "./host.ts"
import { openHost } from "./opening.ts"
import { type Options, parseOptions, startHelp } from "./options.ts"

/** `factum start`: the host and its workbench. Gives the exit code; the host goes on until a signal. */
export async function start(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.kind === "help") return told(startHelp.trimEnd())
  if (options.kind === "wrong") return fail(options.message, 2)
  const opened = await openHost(options, { tell: (note) => console.error(note) })
  if (!opened.ok) return "usage" in opened ? fail(opened.usage, 2) : notStarted(opened.reason, options)
  const { host } = opened
  // Before the line is printed: who reads it may end the host right away.
  endOnSignal(host)
  endOnDeath(host)
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

/** How long answers that are under way may take to go out. */
const farewellMs = 2000

/** A host that can write nothing would refuse all work for good; whoever keeps it running may start it anew. */
function endOnDeath(host: Host): void {
  host.died.then((reason) => {
    console.error(
      `Factum stops, because its log cannot be written any more: ${reason}. What was acknowledged is kept. Whether what was being written at that moment is in the log is not known; start Factum again to see.`,
    )
    const end = () => process.exit(1)
    setTimeout(end, farewellMs)
    host.close().then(end, end)
  })
}

/** A second signal means "at once": what was acknowledged is on the disk already. */
function endOnSignal(host: Host): void {
  let closing = false
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (closing) process.exit(128 + constants.signals[signal])
      closing = true
      console.log("Factum is stopping; what was acknowledged is kept.")
      host.close().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
  }
}

function told(text: string): number {
  console.log(text)
  return 0
}

function fail(message: string, code: number): number {
  console.error(message)
  return code
}
