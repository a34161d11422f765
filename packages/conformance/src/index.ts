export {
  type Coverage,
  coverage,
  coveredIds,
  grown,
  lost,
  type RuleCoverage,
  type TestTitle,
} from "./coverage.ts"
export * from "./normalise.ts"
export { summarise } from "./projection.ts"
export * from "./replay.ts"
export { areaOf, isRuleId, type Level, parseRules, type Rule, repeatedIds } from "./rules.ts"
export * from "./scenario.ts"
export { readTrace, traceNames, tracePath } from "./traces.ts"
export { type Report, readable, validateTrace } from "./validator/index.ts"
