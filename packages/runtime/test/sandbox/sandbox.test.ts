import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Boundary } from "../../src/ports/tool.ts"
import { probeBubblewrap } from "../../src/sandbox/probe.ts"
import { createSandbox, openSandbox } from "../../src/sandbox/sandbox.ts"
import { findViolations } from "../../src/sandbox/violations.ts"
import { folder, givenProcesses, outputOf, realSandbox, started } from "../processes/given.ts"

const grandchild = (command: string) => `sh -c "sh -c '${command}'"`

async function listening(): Promise<{ port: number; server: Server; visitors: () => number }> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { port, server, visitors: () => count }
}
const dial = (port: number) =>
  `${process.execPath} -e 'require("net").connect(${port}, "127.0.0.1").on("error", () => process.exit(7)).on("connect", () => process.exit(0))'`

describe("the boundary in force", () => {
  it("[RT-SBX-1] in a writable folder what is obeyed outside of it cannot be changed or put there anew", async () => {
    const program = "bin/hook.sh"
    const cwd = folder()
    for (const name of [".git/hooks", ".factum", "bin"]) mkdirSync(join(cwd, name), { recursive: true })
    const kept = [".git/config", ".git/hooks/pre-commit", "factum.config.json", ".factum/a.md", program]
    for (const name of kept) writeFileSync(join(cwd, name), "as it was")
    const { processes, spec } = await givenProcesses({
      sandbox: createSandbox(await probeBubblewrap(), { kept: [join(cwd, program)] }),
    })
    const tries = [
      ...kept.map((name) => `echo x > ${name}; rm -f ${name}; mv ${name} away`),
      "mv .git away; mv .git/hooks away; mv .factum away; echo x > .factum/new",
      "echo x > .git/index; echo x > bin/other; echo x > written",
    ]
    const boundary: Boundary = { profile: "workspace_write", network: "none" }
    const more = { boundary, cwd, roots: [cwd] }
    await (await started(processes, spec(tries.join("; "), more))).ended
    for (const name of kept) expect(readFileSync(join(cwd, name), "utf8")).toBe("as it was")
    expect(existsSync(join(cwd, ".factum/new"))).toBe(false)
    for (const name of [".git/index", "bin/other", "written"])
      expect(readFileSync(join(cwd, name), "utf8")).toBe("x\n")
  })

  it.each([
    ["read_only", "in the workspace", "blocked"],
    ["read_only", "outside of it", "blocked"],
    ["workspace_write", "in the workspace", "written"],
    ["workspace_write", "outside of it", "blocked"],
    ["full", "in the workspace", "written"],
    ["full", "outside of it", "written"],
  ] as const)("[RT-SBX-1] %s: a grandchild's write %s is %s", async (profile, place, outcome) => {
    const { processes, facts, spec, cwd } = await givenProcesses()
    const target = join(place === "in the workspace" ? cwd : folder("/var/tmp"), "written")
    const boundary: Boundary = { profile, network: "none" }
    await (await started(processes, spec(grandchild(`echo x > ${target}`), { boundary }))).ended
    expect(existsSync(target)).toBe(outcome === "written")
    expect(facts.of("sandbox.applied")).toMatchObject([
      { profile, network: "none", driver: "bubblewrap", in_force: true },
    ])
  })

  it.each([
    ["none", 7, 0],
    ["all", 0, 1],
  ] as const)(
    "[RT-SBX-1] network %s: what a grandchild's connection comes to",
    async (network, exit_code, visits) => {
      const { processes, spec } = await givenProcesses()
      const { port, visitors } = await listening()
      const boundary: Boundary = { profile: "workspace_write", network }
      const { ended } = await started(processes, spec(`(${dial(port)})`, { boundary }))
      expect(await ended).toMatchObject({ exit_code })
      expect(visitors()).toBe(visits)
    },
  )

  it("[RT-SBX-1] nothing inside can undo a mount", async () => {
    const { processes, spec } = await givenProcesses()
    const outside = folder("/var/tmp")
    const command = `mount -o remount,rw,bind / ; umount -l ${outside}; unshare -Urm mount -o remount,rw,bind /; echo x > ${outside}/x`
    await (await started(processes, spec(command, { boundary: { profile: "read_only", network: "none" } })))
      .ended
    expect(existsSync(join(outside, "x"))).toBe(false)
  })

  it("[RT-SBX-1] hidden folders cannot be seen, also inside a root", async () => {
    const root = folder()
    mkdirSync(join(root, "data"))
    writeFileSync(join(root, "data", "secret"), "x")
    const sandbox = await openSandbox({ hidden: [join(root, "data")] })
    const { processes, facts, spec, blobs } = await givenProcesses({ sandbox })
    const boundary: Boundary = { profile: "workspace_write", network: "none" }
    await (await started(processes, spec("ls data; echo done", { boundary, cwd: root, roots: [root] }))).ended
    expect(outputOf(facts, "stdout", blobs).toString()).toBe("done\n")
  })

  it("[RT-SBX-1] /tmp is a private folder that lasts from one process to the next", async () => {
    const scratch = folder("/var/tmp")
    const { processes, facts, spec, blobs } = await givenProcesses({
      sandbox: await openSandbox({ scratch }),
    })
    const boundary: Boundary = { profile: "read_only", network: "none" }
    await (await started(processes, spec("echo kept > /tmp/note", { boundary }))).ended
    await (await started(processes, spec("cat /tmp/note", { boundary }))).ended
    expect(outputOf(facts, "stdout", blobs).toString()).toBe("kept\n")
    expect(readFileSync(join(scratch, "note"), "utf8")).toBe("kept\n")
  })

  it("programs that lie in /tmp stay in sight, and cannot be written to", async () => {
    const { processes, spec } = await givenProcesses({ sandbox: await openSandbox({ programs: [] }) })
    const folders = folder("/tmp")
    writeFileSync(join(folders, "greet"), "#!/bin/sh\necho hello\n", { mode: 0o755 })
    const boundary: Boundary = { profile: "workspace_write", network: "none" }
    const lost = await started(processes, spec(`${folders}/greet`, { boundary }))
    expect(await lost.ended).toMatchObject({ exit_code: 127 })
    const seeing = await givenProcesses({ sandbox: await openSandbox({ programs: [folders] }) })
    const found = await started(seeing.processes, seeing.spec(`${folders}/greet`, { boundary }))
    expect(await found.ended).toMatchObject({ exit_code: 0 })
    const writing = await started(seeing.processes, seeing.spec(`touch ${folders}/new`, { boundary }))
    expect((await writing.ended).exit_code).not.toBe(0)
  })

  it("[RT-EVT-21] the boundary is told before the process and each crossing after it, before the end", async () => {
    const { processes, facts, spec, cwd } = await givenProcesses()
    const outside = folder("/var/tmp")
    const boundary: Boundary = { profile: "workspace_write", network: "none" }
    const command = `touch ${outside}/a; bash -c 'echo > /dev/tcp/192.0.2.1/80'`
    const { process_id, ended } = await started(processes, spec(command, { boundary }))
    await ended
    expect(facts.of("sandbox.applied")).toEqual([
      {
        process_id,
        requested: "workspace_write, network none",
        profile: "workspace_write",
        driver: "bubblewrap",
        in_force: true,
        readable: ["/"],
        writable: [cwd, "/tmp (private)"],
        network: "none",
      },
    ])
    const common = { process_id, profile: "workspace_write", detected_by: "error output", prevented: true }
    expect(facts.of("sandbox.violation")).toEqual([
      { ...common, operation: "write", target: join(outside, "a") },
      { ...common, operation: "connect", target: "192.0.2.1:80" },
    ])
    const types = facts.types().filter((type) => type !== "process.output")
    expect(types).toEqual([
      "sandbox.applied",
      "process.started",
      "sandbox.violation",
      "sandbox.violation",
      "process.completed",
    ])
  })
})

describe("a boundary that cannot be had", () => {
  it("[RT-SBX-3] without a driver nothing runs, and that is recorded", async () => {
    const { processes, facts, spec, cwd } = await givenProcesses({
      sandbox: await openSandbox({ program: "/nonexistent/bwrap" }),
    })
    const boundary: Boundary = { profile: "workspace_write", network: "none" }
    const result = await processes.start(spec("touch ran", { boundary }))
    expect(result).toMatchObject({ ok: false, code: "boundary_unavailable" })
    expect(facts.types()).toEqual(["sandbox.applied"])
    expect(facts.of("sandbox.applied")).toMatchObject([
      { in_force: false, profile: "none", network: "unknown" },
    ])
    expect(existsSync(join(cwd, "ran"))).toBe(false)
  })

  it("[RT-SBX-3] a list of domains is not passed off as enforced", async () => {
    const { processes, facts, spec, cwd } = await givenProcesses()
    const boundary: Boundary = { profile: "workspace_write", network: { domains: ["example.org"] } }
    expect(await processes.start(spec("touch ran", { boundary }))).toMatchObject({
      code: "boundary_unavailable",
    })
    expect(facts.of("sandbox.applied")).toMatchObject([
      { in_force: false, requested: "workspace_write, network only example.org" },
    ])
    expect(existsSync(join(cwd, "ran"))).toBe(false)
  })

  it("[RT-SBX-3] running outside is a boundary of its own and says so", () => {
    const sandbox = createSandbox({ ok: false, reason: "none here" })
    const outside = sandbox.confine({ profile: "full", network: "all" }, { cwd: "/w", roots: ["/w"] })
    expect(outside).toMatchObject({ ok: true, applied: { driver: "none", profile: "full", network: "full" } })
    expect(sandbox.confine({ profile: "full", network: "none" }, { cwd: "/w", roots: ["/w"] })).toMatchObject(
      { ok: false },
    )
  })

  it("[RT-SBX-3] a driver that runs things without a boundary does not pass the probe", async () => {
    const fake = join(folder(), "bwrap")
    writeFileSync(
      fake,
      '#!/bin/sh\n[ "$1" = --version ] && exec echo fake\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n',
    )
    chmodSync(fake, 0o755)
    const probe = await probeBubblewrap(fake)
    expect(probe).toMatchObject({ ok: false })
  })

  it("the probe of this machine tells the driver's version", async () => {
    expect((await realSandbox()).probe).toMatchObject({
      ok: true,
      version: expect.stringContaining("bubblewrap"),
    })
  })
})

describe("violations in the words of programs", () => {
  const where = { cwd: "/w", roots: ["/w"] }
  const confined: Boundary = { profile: "workspace_write", network: "none" }
  it.each([
    ["touch: cannot touch '/usr/x': Read-only file system", "write", "/usr/x"],
    ["sh: 1: cannot create /etc/new: Read-only file system", "write", "/etc/new"],
    ["bash: ../up.txt: Read-only file system", "write", "/up.txt"],
    ["Error: EROFS: read-only file system, open '/opt/f'", "write", "/opt/f"],
    ["OSError: [Errno 30] Read-only file system: '/srv/a b'", "write", "/srv/a b"],
    ["mkdir: cannot create directory ‘/opt/d’: Permission denied", "write", "/opt/d"],
    ["bash: connect: Network is unreachable", "connect", "unknown"],
    ["curl: (6) Could not resolve host: example.com", "connect", "example.com"],
    ["Error: connect ENETUNREACH 192.0.2.7:443 - Local", "connect", "192.0.2.7:443"],
    ["Error: getaddrinfo EAI_AGAIN registry.npmjs.org", "connect", "registry.npmjs.org"],
    [
      "fatal: unable to access 'https://host.example/r.git/': Could not resolve host: host.example",
      "connect",
      "host.example",
    ],
  ])("[RT-SBX-2] %s", (line, operation, target) => {
    expect(findViolations(`noise\n${line}\n`, confined, where, () => true)).toEqual([
      { operation, target, profile: "workspace_write", detected_by: "error output", prevented: true },
    ])
  })

  it.each([
    ["a file's own rights", "cat: /etc/shadow: Permission denied", confined, false],
    ["a path in a root", "touch: cannot touch '/w/a': Permission denied", confined, true],
    [
      "a network that is open",
      "curl: (6) Could not resolve host: x.example",
      { ...confined, network: "all" },
      true,
    ],
    [
      "no boundary",
      "touch: cannot touch '/a': Read-only file system",
      { profile: "full", network: "none" },
      true,
    ],
    ["other errors", "cat: /nothing: No such file or directory", confined, true],
  ] as const)("[RT-SBX-2] no violation by %s", (_, line, boundary, writable) => {
    expect(findViolations(line, boundary, where, () => writable)).toEqual([])
  })
})
