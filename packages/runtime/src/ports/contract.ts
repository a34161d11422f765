import { describe } from "vitest"
import { allContract } from "./contract/all.ts"
import { appendContract } from "./contract/append.ts"
import { blobContract } from "./contract/blobs.ts"
import { claimContract } from "./contract/claims.ts"
import type { OpenStore } from "./contract/given.ts"
import { keepingContract } from "./contract/keeping.ts"
import { readContract } from "./contract/read.ts"
import { tailContract } from "./contract/tail.ts"

export type { OpenStore, StoreUnderTest } from "./contract/given.ts"

/** What every store promises, whatever it is made of. Imported by tests only. */
export function factLogContract(name: string, open: OpenStore) {
  describe(`${name} keeps the contract of a fact log`, () => {
    describe("append", () => appendContract(open))
    describe("claims and owed work", () => claimContract(open))
    describe("read", () => readContract(open))
    describe("tail", () => tailContract(open))
    describe("all streams", () => allContract(open))
    describe("saved states and retention", () => keepingContract(open))
    describe("blobs", () => blobContract(open))
  })
}
