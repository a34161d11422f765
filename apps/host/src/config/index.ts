export type { AgentFile } from "./agents.ts"
export * from "./load.ts"
export { type ConfigProblem, told } from "./problem.ts"
export { ConfigFile } from "./schema.ts"
