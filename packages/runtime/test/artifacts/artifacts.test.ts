import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { openArtifacts } from "../../src/adapters/artifacts/index.ts"
import { FileBlobs } from "../../src/adapters/sqlite/blobs.ts"
import { temporaryDirectory } from "../harness.ts"
import { draft, givenArtifacts, made, textIn } from "./given.ts"

describe("versions", () => {
  it("an edit is a new version, the older ones stay readable, and the diff is kept", async () => {
    const { artifacts, blobs } = await givenArtifacts()
    const artifact_id = await made(artifacts, "one\ntwo\n")
    const edited = await artifacts.write(draft("one\n2\n", { artifact_id, base_version: "1" }))
    expect(edited).toMatchObject({ ok: true, change: "updated", version: "2" })
    expect([textIn(artifacts, artifact_id, "1"), textIn(artifacts, artifact_id)]).toEqual([
      "one\ntwo\n",
      "one\n2\n",
    ])
    const [first, second] = artifacts.versions(artifact_id) ?? []
    expect(first).toMatchObject({ version: "1", change: "produced", author: "person" })
    expect(second).toMatchObject({ version: "2", change: "updated", from_version: "1" })
    const diff = Buffer.from(blobs.get(second?.diff_ref?.digest ?? "") ?? []).toString()
    expect(diff).toContain("-two\n+2")
    expect(await artifacts.diff(artifact_id, "2", "1")).toMatchObject({ ok: true, added: 1, removed: 1 })
  })

  it("an edit of an old version is a conflict: the newest stays, and the person's words are kept", async () => {
    const { artifacts, blobs, told } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    await artifacts.write(draft("theirs", { artifact_id, base_version: "1" }))
    const mine = await artifacts.write(draft("mine", { artifact_id, base_version: "1" }))
    expect(mine).toMatchObject({ ok: false, code: "conflict", current_version: "2" })
    expect(textIn(artifacts, artifact_id)).toBe("theirs")
    const kept = mine.ok ? undefined : mine.edit_ref?.digest
    expect(Buffer.from(blobs.get(kept ?? "") ?? []).toString()).toBe("mine")
    expect(told).toHaveLength(2)
  })

  it("of edits that race from one version exactly one wins", async () => {
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        artifacts.write(draft(`edit ${n}`, { artifact_id, base_version: "1" })),
      ),
    )
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    expect(artifacts.versions(artifact_id)).toHaveLength(2)
  })

  it("writers without a base follow one another, and none is lost", async () => {
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    await Promise.all(
      Array.from({ length: 5 }, (_, n) => artifacts.write(draft(`edit ${n}`, { artifact_id }))),
    )
    const texts = artifacts
      .versions(artifact_id)
      ?.map(({ version }) => textIn(artifacts, artifact_id, version))
    expect(texts?.toSorted()).toEqual(["edit 0", "edit 1", "edit 2", "edit 3", "edit 4", "one\n"])
  })

  it("a save of what is there already makes no version and tells nobody", async () => {
    const { artifacts, told } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    expect(await artifacts.write(draft("one\n", { artifact_id, base_version: "1" }))).toMatchObject({
      version: "1",
    })
    expect(told).toHaveLength(1)
  })

  it("a rollback is a new version with the old content", async () => {
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    await artifacts.write(draft("two\n", { artifact_id, base_version: "1" }))
    const about = { session_id: "ses_1" }
    const back = { artifact_id, to_version: "1", about, author: "person" } as const
    expect(await artifacts.rollback({ ...back, base_version: "1" })).toMatchObject({ code: "conflict" })
    expect(await artifacts.rollback({ ...back, to_version: "7" })).toMatchObject({ code: "not_found" })
    expect(await artifacts.rollback(back)).toMatchObject({ ok: true, version: "3", change: "updated" })
    expect(textIn(artifacts, artifact_id)).toBe("one\n")
    expect(artifacts.versions(artifact_id)?.at(-1)).toMatchObject({
      change: "rolled_back",
      from_version: "1",
    })
  })

  it("a deletion leaves a tombstone: history is known, content is not given, nothing can be changed", async () => {
    const { artifacts, told } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    const about = { session_id: "ses_1" }
    expect(await artifacts.remove({ artifact_id, about, author: "person" })).toMatchObject({
      change: "removed",
    })
    expect(artifacts.get(artifact_id)).toMatchObject({ status: "removed", preview: { text: "" } })
    const [version] = artifacts.versions(artifact_id) ?? []
    expect(version).toMatchObject({ version: "1", preview: { text: "", whole: false } })
    for (const ref of [version?.ref, artifacts.get(artifact_id)?.ref]) {
      expect(ref).toMatchObject({ kind: "artifact" })
      expect(ref).not.toHaveProperty("digest")
    }
    expect(textIn(artifacts, artifact_id)).toBe("wrong_state")
    for (const done of [
      await artifacts.write(draft("x", { artifact_id })),
      await artifacts.rollback({ artifact_id, to_version: "1", about, author: "person" }),
      await artifacts.remove({ artifact_id, about, author: "person" }),
    ])
      expect(done).toMatchObject({ ok: false, code: "wrong_state" })
    expect(told.at(-1)?.payload).toMatchObject({ change: "removed", version: "1" })
    expect(told.at(-1)?.payload).not.toHaveProperty("preview")
  })

  it.each([
    "text/html page",
    "text/csv table",
    "application/json data",
    "image/png image",
    "text/plain document",
  ])("the kind follows from the format: %s", async (pair) => {
    const [media_type = "", kind] = pair.split(" ")
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts, "{}", { media_type })
    expect(artifacts.get(artifact_id)?.kind).toBe(kind)
  })

  it("counts what is wrong only where the format can be checked", async () => {
    const { artifacts, told } = await givenArtifacts()
    await made(artifacts, "{}", { media_type: "application/json" })
    await made(artifacts, "{", { media_type: "application/json" })
    await made(artifacts, "{")
    expect(told.map(({ payload }) => payload.validation_issues)).toEqual([0, 1, "unknown"])
  })

  it("bytes that are no text have no diff, and say so", async () => {
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts, "\u0000\u0001", { media_type: "image/png" })
    await artifacts.write(draft("\u0000\u0002", { artifact_id, base_version: "1" }))
    expect(artifacts.versions(artifact_id)?.[1]).not.toHaveProperty("diff_ref")
    expect(await artifacts.diff(artifact_id, "1", "2")).toMatchObject({ ok: false, code: "wrong_state" })
  })
})

describe("keys", () => {
  it("a repeat under a key changes nothing and gets the first answer; with other content it is a conflict", async () => {
    const { artifacts, told, directory } = await givenArtifacts()
    const first = await artifacts.write(draft("one", { key: "k1" }))
    expect(await artifacts.write(draft("one", { key: "k1" }))).toEqual(first)
    expect(await artifacts.write(draft("two", { key: "k1" }))).toMatchObject({ code: "conflict" })
    artifacts.close()
    const again = await givenArtifacts({ directory })
    expect(await again.artifacts.write(draft("one", { key: "k1" }))).toEqual(first)
    expect(again.artifacts.list({ limit: 10 })).toHaveLength(1)
    expect([...told, ...again.told]).toHaveLength(1)
  })

  it("of the same write sent twice at once one is made", async () => {
    const { artifacts } = await givenArtifacts()
    const both = await Promise.all([1, 2].map(() => artifacts.write(draft("one", { key: "k" }))))
    expect(both[0]).toEqual(both[1])
    expect(artifacts.list({ limit: 10 })).toHaveLength(1)
  })
})

describe("telling", () => {
  it("[RT-EVT-14] a session that came to refer to an artifact is told of changes that others make", async () => {
    const { artifacts, told } = await givenArtifacts()
    const artifact_id = await made(artifacts)
    await artifacts.observe(artifact_id, { session_id: "ses_2", turn_id: "trn_2" })
    await artifacts.observe(artifact_id, { session_id: "ses_2" })
    await artifacts.write(draft("two", { artifact_id, base_version: "1" }))
    expect(
      told.map(({ about, payload }) => `${about.session_id} ${payload.change} ${payload.version}`),
    ).toEqual(["ses_1 produced 1", "ses_2 observed 1", "ses_1 updated 2", "ses_2 observed 2"])
    expect(artifacts.list({ session_id: "ses_2", limit: 5 })).toHaveLength(1)
    expect(artifacts.list({ session_id: "ses_3", limit: 5 })).toHaveLength(0)
  })

  it("what could not be told is told by the next process, under the same claim", async () => {
    const untold: string[] = []
    const tell = async (_: unknown, claim: string) => untold.push(claim) < 0
    const { artifacts, directory } = await givenArtifacts({ listener: { tell } })
    const artifact_id = await made(artifacts)
    artifacts.close()
    const { told } = await givenArtifacts({ directory })
    expect(told).toMatchObject([{ claim: untold[0], payload: { artifact_id, change: "produced" } }])
    const third = await givenArtifacts({ directory })
    expect(third.told).toEqual([])
  })

  it("[RT-OUT-2] a known secret is kept out of the content, too", async () => {
    const { artifacts } = await givenArtifacts()
    const artifact_id = await made(artifacts, "the password is hunter2")
    expect(textIn(artifacts, artifact_id)).toBe("the password is [redacted:password]")
  })

  it("a scope of another runtime is refused, and nothing is kept", async () => {
    const locate = () => ({ ok: false as const, reason: "There is no session ses_1." })
    const { artifacts } = await givenArtifacts({ listener: { locate } })
    expect(await artifacts.write(draft("x"))).toMatchObject({ ok: false, code: "scope_mismatch" })
    expect(artifacts.list({ limit: 5 })).toEqual([])
  })
})

describe("durability", () => {
  it("a store that refuses the bytes leaves the last confirmed version", async () => {
    const given = await givenArtifacts()
    const artifact_id = await made(given.artifacts)
    given.artifacts.close()
    const real = new FileBlobs(join(given.directory, "blobs"))
    const full = {
      get: (digest: string) => real.get(digest),
      put: async () => ({ ok: false as const, reason: "no space left" }),
      read: async () => undefined,
      receive: async () => ({ ok: false as const, code: "write_failed" as const, reason: "no space left" }),
    }
    const { artifacts } = await givenArtifacts({ directory: given.directory, blobs: full })
    const refused = await artifacts.write(draft("two", { artifact_id, base_version: "1" }))
    expect(refused).toMatchObject({ ok: false, code: "write_failed" })
    expect(textIn(artifacts, artifact_id)).toBe("one\n")
  })

  it("a file of the version before goes on, and its new versions tell who made them", async () => {
    const given = await givenArtifacts()
    const artifact_id = await made(given.artifacts)
    given.artifacts.close()
    const file = new DatabaseSync(join(given.directory, "artifacts.db"))
    file.exec("alter table versions drop column actor; pragma user_version = 1")
    file.close()
    const { artifacts, told } = await givenArtifacts({ directory: given.directory })
    const by = { id: "tok_1", name: "ann" }
    await made(artifacts, "two\n", { artifact_id, base_version: "1", by })
    const versions = artifacts.versions(artifact_id)?.map((one) => ({ version: one.version, by: one.by }))
    expect(versions).toEqual([
      { version: "1", by: undefined },
      { version: "2", by },
    ])
    expect(told.at(-1)?.by).toEqual(by)
    artifacts.close()
    const again = await givenArtifacts({ directory: given.directory })
    expect(again.artifacts.versions(artifact_id)).toHaveLength(2)
  })

  it("a file that is damaged or foreign is not used, and the message says what to do", () => {
    const path = join(temporaryDirectory(), "artifacts.db")
    writeFileSync(path, "no database at all, but long enough to be taken for one by its size alone")
    const opened = openArtifacts(path, { blobs: new FileBlobs(temporaryDirectory()) })
    expect(opened).toMatchObject({ ok: false })
    expect(opened.ok ? "" : opened.message).toMatch(/Restore it from a backup/)
  })

  it("[RT-CMD-5] a process killed at any moment loses no version that it confirmed, and leaves none half made", async () => {
    const script = fileURLToPath(new URL("./killed.ts", import.meta.url))
    for (const after of [1, 2, 5, 9]) {
      const directory = temporaryDirectory()
      const ran = spawnSync(process.execPath, [script, directory, String(after)], {
        encoding: "utf8",
        timeout: 60_000,
      })
      expect(ran.signal, ran.stderr).toBe("SIGKILL")
      const confirmed = ran.stdout.trim().split("\n").filter(Boolean)
      expect(confirmed).toHaveLength(after)
      const { artifacts, told } = await givenArtifacts({ directory })
      const [record] = artifacts.list({ limit: 5 })
      const versions = artifacts.versions(record?.artifact_id ?? "") ?? []
      for (const version of confirmed) expect(versions.map((one) => one.version)).toContain(version)
      for (const { version } of versions)
        expect(textIn(artifacts, record?.artifact_id ?? "", version)).toBe(`content ${version}\n`)
      // The process told nobody; now every version is told, once.
      expect(told.map(({ payload }) => payload.version)).toEqual(versions.map(({ version }) => version))
      artifacts.close()
    }
  })
})
