export { type AnswerProblem, answerProblems } from "./answer-schema.ts"
export * from "./answering.ts"
export { type Chain, chainOf } from "./chain.ts"
export { emptyState } from "./empty.ts"
export * from "./envelope.ts"
export type * from "./events/index.ts"
export { addOlder } from "./history.ts"
export * from "./hydrate.ts"
export * from "./intents.ts"
export { changeLocal, type LocalAction } from "./local.ts"
export { limits, type Normalized, normalize } from "./normalize.ts"
export * from "./optimistic.ts"
export * from "./ports.ts"
export { declareStream, type Input, missingId, type ReduceOptions, reduce } from "./reduce.ts"
export { eventClasses, isEventClass } from "./reducers/index.ts"
export { refsOf } from "./refs.ts"
export * from "./repair.ts"
export * from "./state.ts"
export * from "./store.ts"
export * from "./surfaces/index.ts"
export { emptyTable, type Table, tableOf } from "./table.ts"
export * from "./taxonomy.ts"
export { noText, readText, type TextBlocks, textFrom } from "./text.ts"
export {
  actionStates,
  capsuleGroups,
  isAsking,
  type Reason,
  type RunState,
  runOutcomes,
  statusGroups,
} from "./words.ts"
