import { type Call, createHarness, manualClock } from "../../src/harness/index.ts"
import { type AssistantMessage, readOutput, type Setup } from "../../src/index.ts"

/**
 * What an output of a model leads to in a runtime: the ids of the actions that executors were called with. A run that
 * waits for time or for people is left as it is.
 */
export async function executed(message: AssistantMessage, setup: Setup): Promise<readonly string[]> {
  const calls: Call[] = []
  const work = (call: Call): string => {
    calls.push(call)
    return "done"
  }
  const harness = createHarness({
    executors: Object.fromEntries(setup.executors.map(({ name, ...rest }) => [name, { ...rest, work }])),
    clock: manualClock(),
    authority: setup.authority,
    goal: "Do it.",
  })
  const read = readOutput(message, setup)
  if (read.kind === "declaration" && "graph" in read.declaration && read.declaration.intent !== "revise") {
    const begun = await harness.begin(read.declaration)
    // Work that ends at once has ended after one turn of the loop for each action that waits for another.
    if (begun.ok)
      for (let turn = 0; turn < 20 * (1 + begun.value.graph.actions.length); turn++) await undefined
  } else if (read.kind === "declaration") await harness.run(read.declaration)
  return calls.map(({ action }) => action.id)
}

/** Runs what an output asks for and throws if anything ran that no valid declaration asked for; gives how much ran. */
export async function runsAsDeclared(message: AssistantMessage, setup: Setup): Promise<number> {
  const ids = await executed(message, setup)
  const read = readOutput(message, setup)
  const declared = read.kind === "declaration" && "graph" in read.declaration ? read.declaration : undefined
  const most = new Map(
    (declared === undefined || declared.intent === "plan" ? [] : declared.graph.actions).map(
      ({ id, repeat, failure_policy }) => [id, (repeat?.max ?? 1) * (1 + failure_policy.max_retries)],
    ),
  )
  for (const id of new Set(ids)) {
    const times = ids.filter((called) => called === id).length
    if (times > (most.get(id) ?? 0)) throw new Error(`${id} ran ${times} times, which nothing declared.`)
  }
  return ids.length
}
