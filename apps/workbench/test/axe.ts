import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

/** The audit as a script that defines `axe`, evaluated by the test and not by the page. */
export const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
