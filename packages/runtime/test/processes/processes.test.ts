import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { endOrphan, findOrphan, type OsIdentity, startTime } from "../../src/adapters/processes/index.ts"
import { createRedactor } from "../../src/redact.ts"
import { bare, carrying, confined, folder, givenProcesses, outputOf, sha, started, until } from "./given.ts"

const isAlive = (pid: number) => startTime(pid) !== undefined
const pidIn = (path: string) => Number(readFileSync(path, "utf8"))

describe("the facts of a process", () => {
  it("[RT-PROC-1] the record holds command, cwd, profile, network, channels, exit code and output state", async () => {
    const { processes, facts, spec, cwd } = await givenProcesses()
    const { ended, process_id, os } = await started(
      processes,
      spec("cat; echo out; echo err >&2; exit 3", {
        boundary: confined,
        stdin: "open",
        time_limit_ms: 20_000,
      }),
    )
    expect(await processes.write(process_id, Buffer.from("in\n"), true)).toEqual({ ok: true, bytes: 3 })
    await ended
    expect(facts.of("process.started")).toEqual([
      {
        process_id,
        command: ["/bin/sh", "-c", "cat; echo out; echo err >&2; exit 3"],
        cwd,
        sandbox_profile: "workspace_write",
        network: "none",
        stdin: "open",
        tty: false,
        long_lived: false,
        os,
        time_limit_ms: 20_000,
      },
    ])
    expect(facts.of("process.input")).toEqual([
      { process_id, bytes: 3, preview: { text: "in\n", whole: true }, closes: true },
    ])
    expect(facts.of("process.completed")).toMatchObject([
      { process_id, exit_code: 3, output: { stdout_bytes: 7, stderr_bytes: 4, complete: true, refs: [] } },
    ])
  })

  it.each([
    ["exit 0", "exit 0", "process.completed", 0],
    ["exit 3", "exit 3", "process.completed", 3],
    ["foreign kill", "kill -9 $$", "process.failed", "unknown"],
  ] as const)("[RT-EVT-23] %s ends in exactly one terminal fact", async (_, command, type, exit_code) => {
    const { processes, facts, spec } = await givenProcesses()
    await (await started(processes, spec(command))).ended
    expect(facts.types()).toEqual(["sandbox.applied", "process.started", type])
    expect(facts.of(type)).toMatchObject([{ exit_code }])
  })

  it.each([
    ["outside", bare],
    ["inside a sandbox", confined],
  ])("[RT-EVT-23] a missing binary fails as a spawn error and was never started, %s", async (_, boundary) => {
    const { processes, facts, spec } = await givenProcesses()
    const result = await processes.start(spec("", { command: ["no-such-program"], boundary }))
    expect(result).toMatchObject({ ok: false, code: "spawn_error" })
    expect(facts.types()).toEqual(["sandbox.applied", "process.failed"])
    expect(facts.of("process.failed")).toMatchObject([{ cause: "spawn_error", exit_code: "unknown" }])
  })

  it("[RT-EVT-23] its own terminate ends in process.terminated", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { process_id } = await started(processes, spec("sleep 600"))
    await processes.terminate(process_id, { reason: "enough", by: "user" })
    expect(facts.types()).toEqual(["sandbox.applied", "process.started", "process.terminated"])
    expect(facts.of("process.terminated")).toMatchObject([{ reason: "enough", by: "user" }])
  })

  it("[RT-EVT-23] a process whose time is over is terminated by the runtime", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { ended } = await started(processes, spec("sleep 600", { time_limit_ms: 30 }))
    expect(await ended).toMatchObject({ status: "terminated", timed_out: true })
    expect(facts.of("process.terminated")).toMatchObject([{ by: "runtime" }])
  })

  it("[RT-PROC-4] a search that exits 1 completed; the end of a killed one reads unknown", async () => {
    const { processes, facts, spec } = await givenProcesses()
    expect(await (await started(processes, spec("grep nothing /dev/null"))).ended).toMatchObject({
      status: "completed",
      exit_code: 1,
    })
    const { os, ended } = await started(processes, spec("sleep 600"))
    process.kill(os?.pid ?? 0, "SIGKILL")
    expect(await ended).toMatchObject({ status: "failed", exit_code: "unknown", signal: "SIGKILL" })
    expect(facts.of("process.failed")).toMatchObject([{ cause: "foreign_signal", exit_code: "unknown" }])
  })

  it("ends a process whose facts nobody takes any more", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { os, ended } = await started(processes, spec("read x; echo $x; sleep 600", { stdin: "open" }))
    facts.open = false
    const [{ process_id } = { process_id: "" }] = processes.list()
    await processes.write(process_id, Buffer.from("go\n"))
    expect(await ended).toMatchObject({ status: "terminated" })
    expect(isAlive(os?.pid ?? 0)).toBe(false)
  })
})

describe("output", () => {
  it.each([
    ["outside", bare],
    ["inside a sandbox", confined],
  ])("[RT-PROC-2] large mixed output with a burst at exit is kept byte for byte, %s", async (_, boundary) => {
    const { processes, facts, blobs, spec, cwd } = await givenProcesses()
    const script = `
      const line = "zwölf Boxkämpfer 🥊 " + "x".repeat(200) + "\\n"
      let out = "", err = ""
      for (let i = 0; i < 4000; i++) { out += i + line; if (i % 7 === 0) err += "e" + i + line }
      process.stdout.write(out); process.stderr.write(err)
      process.stdout.write(Buffer.from([0, 255, 1, 254])); process.stdout.write("last words")
      require("fs").writeFileSync("out", Buffer.concat([Buffer.from(out), Buffer.from([0, 255, 1, 254]), Buffer.from("last words")]))
      require("fs").writeFileSync("err", err)`
    const { ended } = await started(
      processes,
      spec("", { command: [process.execPath, "-e", script], boundary }),
    )
    const end = await ended
    const [out, err] = [readFileSync(join(cwd, "out")), readFileSync(join(cwd, "err"))]
    expect(sha(outputOf(facts, "stdout", blobs))).toBe(sha(out))
    expect(sha(outputOf(facts, "stderr", blobs))).toBe(sha(err))
    expect(end.output).toEqual({ stdout_bytes: out.byteLength, stderr_bytes: err.byteLength, complete: true })
    expect(facts.types().at(-1)).toBe("process.completed")
    const inline = facts.of("process.output").reduce((sum, { text }) => sum + String(text ?? "").length, 0)
    expect(inline).toBeLessThanOrEqual(262_144)
  })

  it("[RT-PROC-2] a character that arrives in two pieces is not split", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { process_id, ended } = await started(
      processes,
      spec("", {
        command: ["/bin/sh", "-c", String.raw`printf 'a\342\202'; read x; printf '\254b'`],
        stdin: "open",
      }),
    )
    await until(() => facts.of("process.output").length === 1)
    await processes.write(process_id, Buffer.from("\n"))
    await ended
    expect(facts.of("process.output").map(({ text, offset }) => [text, offset])).toEqual([
      ["a", 0],
      ["€b", 1],
    ])
  })

  it("drops what is beyond the limit and says so", async () => {
    const { processes, facts, spec, blobs } = await givenProcesses({ limits: { total_bytes: 1_000 } })
    const { ended } = await started(processes, spec("head -c 5000 /dev/zero | tr '\\0' a"))
    expect((await ended).output).toEqual({ stdout_bytes: 5_000, stderr_bytes: 0, complete: false })
    expect(facts.of("output.truncated")).toMatchObject([{ kept_bytes: 1_000, dropped_bytes: 4_000 }])
    expect(outputOf(facts, "stdout", blobs).byteLength).toBe(1_000)
  })

  it("masks a secret that arrives in two pieces", async () => {
    const { processes, facts, spec } = await givenProcesses({
      redactor: createRedactor({ pw: "hunter2-hunter2" }),
    })
    const { process_id, ended } = await started(
      processes,
      spec("printf 'is hunter2'; read x; echo -hunter2.", { stdin: "open" }),
    )
    await until(() => facts.of("process.output").length === 1)
    await processes.write(process_id, Buffer.from("\n"))
    await ended
    const text = facts.of("process.output").map((payload) => payload.text)
    expect(text.join("")).toBe("is [redacted:pw].\n")
    expect(facts.of("output.redacted")).toMatchObject([{ rule: "pw", count: 1, where: "output" }])
  })

  it("masks a secret longer than any word that is held back, in two pieces", async () => {
    const secret = `-${"long/".repeat(1_000)}.`
    const { processes, facts, spec } = await givenProcesses({ redactor: createRedactor({ pw: secret }) })
    const long = "-$(printf 'long/%.0s' $(seq 999))"
    const { process_id, ended } = await started(
      processes,
      spec(`printf 'is '; printf %s "${long}"; read x; echo long/..`, { stdin: "open" }),
    )
    await until(() => facts.of("process.output").length === 1)
    await processes.write(process_id, Buffer.from("\n"))
    await ended
    const text = facts.of("process.output").map((payload) => payload.text)
    expect(text.join("")).toBe("is [redacted:pw].\n")
  })

  it("keeps secrets of the runtime out of the environment", async () => {
    process.env.SOME_API_KEY = "open-sesame"
    onTestFinished(() => {
      delete process.env.SOME_API_KEY
    })
    const { processes, facts, spec, blobs } = await givenProcesses()
    await (await started(processes, spec("env", { env: { MINE: "1" } }))).ended
    const seen = outputOf(facts, "stdout", blobs).toString()
    expect(seen).toContain("MINE=1")
    expect(seen).not.toContain("open-sesame")
  })
})

describe("input", () => {
  it("[RT-CMD-40] an interactive program gets what is written and answers", async () => {
    const { processes, facts, spec, blobs } = await givenProcesses()
    const { process_id, ended } = await started(
      processes,
      spec("read name; echo hello $name", { stdin: "open" }),
    )
    expect(await processes.write(process_id, Buffer.from("Ada\n"))).toEqual({ ok: true, bytes: 4 })
    await ended
    expect(outputOf(facts, "stdout", blobs).toString()).toBe("hello Ada\n")
    expect(facts.of("process.input")).toMatchObject([{ process_id, bytes: 4, closes: false }])
  })

  it("[RT-CMD-40] an ended program refuses input and no fact claims it", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { process_id, ended } = await started(processes, spec("true", { stdin: "open" }))
    await ended
    expect(await processes.write(process_id, Buffer.from("x"))).toMatchObject({
      ok: false,
      code: "wrong_state",
    })
    expect(facts.of("process.input")).toEqual([])
  })

  it.each(["never opened", "closed before"])("[RT-CMD-40] stdin that was %s is refused", async (how) => {
    const { processes, spec } = await givenProcesses()
    const stdin = how === "never opened" ? "closed" : "open"
    const { process_id } = await started(processes, spec("sleep 600", { stdin }))
    if (stdin === "open") await processes.write(process_id, Buffer.from(""), true)
    expect(await processes.write(process_id, Buffer.from("x"))).toMatchObject({
      ok: false,
      code: "wrong_state",
    })
  })

  it("[RT-CMD-40] a program that does not read holds nobody up, and what it reads later is told then", async () => {
    const { processes, facts, spec, blobs, cwd } = await givenProcesses({ input_ms: 100 })
    const command = "until test -e go; do sleep 0.05; done; head -c 200000 | wc -c"
    const { process_id, ended } = await started(processes, spec(command, { stdin: "open" }))
    expect(await processes.write(process_id, Buffer.alloc(200_000, "x"))).toMatchObject({ code: "unread" })
    expect(await processes.write(process_id, Buffer.from("more"))).toMatchObject({ code: "wrong_state" })
    expect(facts.of("process.input")).toEqual([])
    writeFileSync(join(cwd, "go"), "")
    await ended
    expect(outputOf(facts, "stdout", blobs).toString().trim()).toBe("200000")
    expect(facts.of("process.input")).toMatchObject([{ process_id, bytes: 200_000, closes: false }])
  })

  it("[RT-CMD-40] a process that nobody knows is not found", async () => {
    const { processes } = await givenProcesses()
    expect(await processes.write("prc_x", Buffer.from("x"))).toMatchObject({ ok: false, code: "not_found" })
  })

  it.each([
    ["outside", bare],
    ["inside a sandbox", confined],
  ])("[RT-CMD-40] a dialog in a terminal, %s", async (_, boundary) => {
    const { processes, facts, spec, blobs } = await givenProcesses()
    const tty = { columns: 80, rows: 24 }
    const { process_id, ended } = await started(
      processes,
      spec("test -t 0 && test -t 1 && stty size && read x && echo got $x", { tty, boundary }),
    )
    await until(() => outputOf(facts, "pty", blobs).toString().includes("24 80"))
    await processes.write(process_id, Buffer.from("grüße\n"))
    expect(await ended).toMatchObject({ status: "completed", exit_code: 0 })
    expect(outputOf(facts, "pty", blobs).toString()).toContain("got grüße")
    expect(facts.of("process.started")).toMatchObject([{ tty: true, stdin: "open" }])
  })
})

describe("the end", () => {
  it.each([
    ["outside", bare],
    ["inside a sandbox", confined],
  ])(
    "[RT-CMD-41] a child that ignores the first signal, and its grandchild, are gone, %s",
    async (_, boundary) => {
      const { processes, facts, spec, cwd } = await givenProcesses({ grace_ms: 100 })
      const script = `trap '' TERM; (trap '' TERM; touch ready; while :; do sleep 0.05; touch beat; done) & wait; sleep 600`
      const { process_id, os } = await started(processes, spec(script, { boundary }))
      await until(() => existsSync(join(cwd, "beat")))
      expect(carrying(process_id).length).toBeGreaterThanOrEqual(2)
      const result = await processes.terminate(process_id, { reason: "enough", by: "user" })
      expect(result).toMatchObject({ ok: true, outcome: "terminated", end: { status: "terminated" } })
      expect(isAlive(os?.pid ?? 0)).toBe(false)
      expect(facts.types().at(-1)).toBe("process.terminated")
    },
  )

  it.each([
    ["outside", bare],
    ["inside a sandbox", confined],
  ])("[RT-CMD-41] a program that heeds the first signal may clean up, %s", async (_, boundary) => {
    const { processes, spec, cwd } = await givenProcesses({ grace_ms: 20_000 })
    const { process_id } = await started(
      processes,
      spec("trap 'touch cleaned; exit 0' TERM; touch ready; while :; do sleep 0.05; done", { boundary }),
    )
    await until(() => existsSync(join(cwd, "ready")))
    await processes.terminate(process_id, { reason: "enough", by: "user" })
    expect(existsSync(join(cwd, "cleaned"))).toBe(true)
  })

  it("[RT-CMD-41] an ended process is a no-op that tells its known end", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const { process_id, ended } = await started(processes, spec("exit 4"))
    await ended
    expect(await processes.terminate(process_id, { reason: "late", by: "user" })).toMatchObject({
      ok: true,
      outcome: "no_op",
      end: { status: "completed", exit_code: 4 },
    })
    expect(facts.of("process.terminated")).toEqual([])
  })

  it.each([
    ["in its group", "sleep 600 & echo $! > pid"],
    ["that left its group", "setsid sleep 600 & sleep 0.1; echo $! > pid"],
  ])("[RT-PROC-3] an undeclared background child %s is ended with its command", async (_, command) => {
    const { processes, spec, cwd } = await givenProcesses()
    const end = await (await started(processes, spec(command))).ended
    expect(end.output.complete).toBe(true)
    const pid = pidIn(join(cwd, "pid"))
    await until(() => !isAlive(pid))
    expect(isAlive(pid)).toBe(false)
  })

  it("[RT-PROC-3] a declared server outlives its turn, stays listed, takes input and ends on demand", async () => {
    const { processes, facts, spec } = await givenProcesses()
    const server = await started(processes, spec("cat", { stdin: "open", long_lived: true }))
    const other = await started(processes, spec("sleep 600"))
    await processes.endTurn({ session_id: "ses_1", turn_id: "trn_1" })
    expect(await other.ended).toMatchObject({ status: "terminated" })
    expect(processes.list({ session_id: "ses_1" })).toMatchObject([
      { process_id: server.process_id, long_lived: true },
    ])
    await processes.write(server.process_id, Buffer.from("still here\n"))
    await until(() => facts.of("process.output").length === 1)
    expect(await processes.terminate(server.process_id, { reason: "done", by: "user" })).toMatchObject({
      outcome: "terminated",
    })
    expect(processes.list()).toEqual([])
  })
})

describe("processes of a former runtime", () => {
  async function orphan() {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
    onTestFinished(() => void child.kill("SIGKILL"))
    const pid = child.pid ?? 0
    await until(() => startTime(pid) !== undefined)
    return { child, os: { pid, started_at: startTime(pid) ?? "" } }
  }

  it("[RT-REC-5] is found by number and start time, and ended", async () => {
    const { os } = await orphan()
    expect(findOrphan(os)).toEqual(os)
    expect(await endOrphan(os)).toBe("ended")
    expect(findOrphan(os)).toBeUndefined()
    expect(await endOrphan(os)).toBe("not_found")
  })

  it("[RT-REC-5] a killed runtime leaves nothing inside a sandbox, and outside what can be found and ended", async () => {
    const place = folder()
    const runtime = spawn(process.execPath, [join(import.meta.dirname, "runtime-child.ts"), place], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    onTestFinished(() => void runtime.kill("SIGKILL"))
    const [line] = await once(runtime.stdout, "data")
    const { inside, outside } = JSON.parse(String(line)) as Record<
      "inside" | "outside",
      { process_id: string; os: OsIdentity }
    >
    onTestFinished(async () => {
      for (const { os, process_id } of [inside, outside]) await endOrphan(os, 0, process_id)
    })
    expect([isAlive(inside.os.pid), isAlive(outside.os.pid)]).toEqual([true, true])
    runtime.kill("SIGKILL")
    await until(() => carrying(inside.process_id).length === 0)
    expect(findOrphan(inside.os)).toBeUndefined()
    expect(findOrphan(outside.os)).toEqual(outside.os)
    expect(await endOrphan(outside.os, 50, outside.process_id)).toBe("ended")
    await until(() => carrying(outside.process_id).length === 0)
  })

  it("[RT-REC-5] a stranger that reused the number is not touched", async () => {
    const { os } = await orphan()
    const former = { ...os, started_at: `${os.started_at}0` }
    expect(findOrphan(former)).toBeUndefined()
    expect(await endOrphan(former)).toBe("not_found")
    expect(isAlive(os.pid)).toBe(true)
  })
})

it("a workspace inside a sandbox keeps what is written there", async () => {
  const { processes, spec, cwd } = await givenProcesses()
  writeFileSync(join(cwd, "a"), "1")
  await (await started(processes, spec("cat a > b", { boundary: confined }))).ended
  expect(readFileSync(join(cwd, "b"), "utf8")).toBe("1")
})
