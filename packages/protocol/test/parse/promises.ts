import { checkGraph, findCycle } from "../../src/graph.ts"
import type { AssistantMessage, Read, Setup } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"

/** Reads an output and throws if reading breaks a promise. */
export function keepsPromises(message: AssistantMessage, setup: Setup): Read["kind"] {
  const read = readOutput(message, setup)
  const again = readOutput(message, setup)
  if (JSON.stringify(read) !== JSON.stringify(again)) throw new Error("Reading twice gave two results.")
  switch (read.kind) {
    case "waiting":
      if (message.complete) throw new Error("A complete message waits.")
      break
    case "answer":
      if (read.text !== message.text) throw new Error("An answer was changed.")
      break
    case "refused":
      if ("declaration" in read) throw new Error("A refused output has a declaration.")
      if (read.issues.length === 0) throw new Error("A refusal says nothing.")
      for (const { message: what, fix } of read.issues)
        if (what === "" || fix === "") throw new Error("An issue does not say what to do.")
      break
    case "declaration": {
      if (!message.complete || !setup.authority.enabled) throw new Error("What may not be read was read.")
      const { declaration } = read
      if (!("graph" in declaration)) break
      if (checkGraph(declaration.graph).length > 0) throw new Error("A wrong graph was accepted.")
      if (findCycle(declaration.graph.actions) !== undefined) throw new Error("A cycle was accepted.")
      for (const { id } of declaration.graph.actions)
        if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw new Error("An unsafe id was accepted.")
    }
  }
  return read.kind
}
