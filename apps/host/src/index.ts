export { type AppParts, createApp } from "./app.ts"
export { type Host, type HostParts, type NotStarted, startHost } from "./host.ts"
export type { Pace } from "./paced-writer.ts"
