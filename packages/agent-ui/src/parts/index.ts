export * from "./inputs.ts"
export * from "./taxonomy.ts"
export * from "./union.ts"
