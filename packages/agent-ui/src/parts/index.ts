export * from "./taxonomy.ts"
export * from "./union.ts"
