export { HookAnswer } from "./answer.ts"
export * from "./declaration.ts"
export * from "./policy-changed.ts"
export * from "./run.ts"
