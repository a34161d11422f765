import { checkGraph, findCycle } from "../../src/graph.ts"
import type { AssistantMessage, Read, Setup } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"
import { parseReference } from "../../src/references.ts"

type Declared = Extract<Read, { kind: "declaration" }>["declaration"]

/** Reads an output and throws if reading breaks a promise. */
export function keepsPromises(message: AssistantMessage, setup: Setup): Read["kind"] {
  const read = readOutput(message, setup)
  const again = readOutput(message, setup)
  must(JSON.stringify(read) === JSON.stringify(again), "Reading twice gave two results.")
  switch (read.kind) {
    case "waiting":
      must(!message.complete, "A complete message waits.")
      break
    case "answer":
      must(read.text === message.text, "An answer was changed.")
      break
    case "refused":
      must(!("declaration" in read), "A refused output has a declaration.")
      must(read.issues.length > 0, "A refusal says nothing.")
      must(read.retry.length < 60_000, "A refusal says too much.")
      for (const { message: what, fix } of read.issues)
        must(what !== "" && fix !== "", "An issue does not say what to do.")
      break
    case "declaration":
      must(message.complete && setup.authority.enabled, "What may not be read was read.")
      keepsRules(read.declaration, setup)
  }
  return read.kind
}

/** What must hold of everything that is accepted, looked at without the parser's own checks where that is short. */
function keepsRules(declaration: Declared, { executors, authority }: Setup): void {
  if (!("graph" in declaration)) return
  const { graph, sections } = declaration
  // A revision may wait for what its run has completed.
  const wrong = checkGraph(graph).filter(
    ({ code }) => declaration.intent !== "revise" || code !== "unknown_dependency",
  )
  must(wrong.length === 0, "A wrong graph was accepted.")
  must(findCycle(graph.actions) === undefined, "A cycle was accepted.")
  const ids = new Set(graph.actions.map(({ id }) => id))
  must(ids.size === graph.actions.length, "Two actions have one id.")
  for (const { id, executor, depends_on, context_refs, prompt_ref, repeat, result_policy } of graph.actions) {
    must(/^[A-Za-z0-9_-]{1,128}$/.test(id), "An unsafe id was accepted.")
    must(
      declaration.intent === "revise" || depends_on.every((other) => ids.has(other)),
      "An unknown dependency was accepted.",
    )
    must(repeat === undefined || (repeat.max > 0 && repeat.max <= 100), "An unbounded loop was accepted.")
    must((result_policy.max_tokens ?? 1) > 0, "A budget of nothing was accepted.")
    for (const ref of [...context_refs, ...(prompt_ref === undefined ? [] : [prompt_ref])]) {
      const parsed = parseReference(ref, "")
      must(parsed.ok, "An unreadable reference was accepted.")
      if (parsed.value.kind !== "md") continue
      const name = parsed.value.section.toLowerCase()
      const named = sections.filter((section) => section.id === name)
      must(named.length === 1 || /[\s`]/.test(name), "A reference to no section was accepted.")
    }
    if (executor === undefined || executor.target === "auto") continue
    const chosen = executors.find(({ name, type }) => name === executor.target && type === executor.type)
    must(chosen !== undefined && chosen.can_execute !== false, "An executor that cannot work was accepted.")
    must(authority.executors?.includes(chosen.name) !== false, "A forbidden executor was accepted.")
  }
}

function must(kept: boolean, promise: string): asserts kept {
  if (!kept) throw new Error(promise)
}
