#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { type Report, readable, validateTrace } from "./validator/index.ts"

const usage =
  "Usage: validate <trace.jsonl> [--json]. Reads one JSON object a line: runtime facts, or events of Agent UI, AG-UI or the AI SDK."

/** 0: every rule that was exercised is kept. 1: one is broken. 2: there is nothing to judge. */
export function main(args: readonly string[], say: (text: string) => void): 0 | 1 | 2 {
  const asked = argumentsOf(args)
  if (asked === undefined) return told(say, usage)
  const text = read(asked.path)
  if (text === undefined)
    return told(say, `${asked.path} cannot be read. Give the path of a file with one JSON object a line.`)
  const report = validateTrace(text.split("\n"))
  say(asked.json ? JSON.stringify(report, null, 2) : readable(report).join("\n"))
  return codeOf(report)
}

const codeOf = ({ kind, ok }: Report): 0 | 1 | 2 => (!ok ? 1 : kind === "nothing" ? 2 : 0)

function told(say: (text: string) => void, text: string): 2 {
  say(text)
  return 2
}

function argumentsOf(args: readonly string[]): { path: string; json: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: "boolean" } },
      allowPositionals: true,
    })
    const [path, ...rest] = positionals
    return path === undefined || rest.length > 0 ? undefined : { path, json: values.json === true }
  } catch {
    return undefined
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

if (process.argv[1] === import.meta.filename) process.exitCode = main(process.argv.slice(2), console.log)
