import type { SQLOutputValue } from "node:sqlite"

export type Row = Record<string, SQLOutputValue>

export function integer(row: Row | undefined, column: string): number {
  const value = row?.[column]
  return typeof value === "number" ? value : 0
}

export function text(row: Row, column: string): string {
  const value = row[column]
  return typeof value === "string" ? value : ""
}
