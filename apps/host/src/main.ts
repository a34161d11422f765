import { nodeTooOld } from "./version.ts"

const tooOld = nodeTooOld(process.versions.node)
if (tooOld === undefined) {
  // Loaded after the check: an older Node may fail on what these modules import.
  const { factum } = await import("./cli/index.ts")
  await factum(process.argv.slice(2))
} else {
  console.error(tooOld)
  process.exitCode = 1
}
