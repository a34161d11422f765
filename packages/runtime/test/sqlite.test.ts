import { readFileSync, utimesSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { factLogContract, type StoreUnderTest } from "@factum/runtime/contract"
import { openStore, temporary } from "./sqlite-given.ts"

factLogContract("SQLite", async () => open(temporary()))

async function open(directory: string): Promise<StoreUnderTest> {
  let store = await openStore(directory)
  const under: StoreUnderTest = {
    log: store.log,
    blobs: store.blobs,
    async reopen() {
      await store.log.close()
      store = await openStore(directory)
      return { ...under, log: store.log, blobs: store.blobs }
    },
    damageState(stream) {
      const db = new DatabaseSync(join(directory, "factum.db"))
      db.prepare("update states set text = replace(text, '3', '4') where stream = ?").run(stream)
      db.close()
    },
    damageBlob(digest) {
      const [, name = ""] = digest.split(":")
      const path = join(directory, "blobs", name.slice(0, 2), name.slice(2))
      const bytes = readFileSync(path)
      bytes[0] = (bytes[0] ?? 0) ^ 1
      writeFileSync(path, bytes)
      // Clocks of file systems are coarse: the change must not look like no change.
      utimesSync(path, 1, 1)
    },
    async dispose() {
      await store.log.close()
      await rm(directory, { recursive: true })
    },
  }
  return under
}
