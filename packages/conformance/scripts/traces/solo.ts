import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, failTurn, openSession, status } from "./session.ts"
import { answer, askFor, call, fail, finish, judge, open, run } from "./tool.ts"

const auth = `export function checkToken(given: string, known: string): boolean {
  if (given == known) return true
  return false
}
`
const testRun = `> vitest run test/login.test.ts

 RUN  v4.2.0 /workspace

 ✓ test/login.test.ts (9 tests) 212ms
   ✓ refuses a token of another length 3ms
   ✓ refuses a token that differs in the last byte 2ms

 Test Files  1 passed (1)
      Tests  9 passed (9)
   Duration  1.14s
`

export function soloRun() {
  const rec = record("2026-03-02T09:12:00.000Z")
  const session = openSession(rec, "login", "Fix the failing login test")
  const turn = beginTurn(
    session,
    "1",
    "The login test fails since yesterday. Please find out why and fix it.",
  )
  rec.add("context.resolved", turn.on, {
    selected: [
      { kind: "source", ref: blob(auth, { title: "src/auth.ts" }) },
      { kind: "memory", ref: { uri: "memory:team/testing", kind: "context", title: "How this team tests" } },
    ],
    missing: [{ name: "docs/login.md", reason: "the file does not exist" }],
    warnings: [],
    history: { turns: 0, through_sequence: 0 },
  })
  ask(turn, [
    {
      reasoning:
        "The test is about tokens. First read the comparison, then run the test to see what it says.",
      summary: "Read the token check, then run the test.",
    },
    { text: "I'll look at the token check and run the test." },
    { call: "read_file", arguments: { path: "src/auth.ts" } },
    { call: "shell", arguments: { command: "npx vitest run test/login.test.ts" } },
  ])
  call(turn, { tool: "read_file", input: { path: "src/auth.ts" }, output: auth, ms: 41 })
  call(turn, {
    tool: "shell",
    input: { command: "npx vitest run test/login.test.ts" },
    command: ["npx", "vitest", "run", "test/login.test.ts"],
    output: testRun
      .replace("✓ refuses a token that differs", "✗ refuses a token that differs")
      .replace("9 passed (9)", "1 failed | 8 passed (9)"),
    exit: 1,
    ms: 2310,
    rule: "tests may run",
  })
  ask(turn, [
    { text: "The comparison uses `==`, which coerces and leaks timing. I'll replace it." },
    {
      call: "edit_file",
      arguments: { path: "src/auth.ts", replace: "given == known", by: "timingSafeEqual(…)" },
    },
  ])
  const edit = {
    tool: "edit_file",
    input: {
      path: "src/auth.ts",
      replace: "given == known",
      by: "timingSafeEqual(bytes(given), bytes(known))",
    },
    output: "1 replacement in src/auth.ts",
    ms: 62,
  }
  const asked = askFor(turn, edit, {
    title: "Edit src/auth.ts",
    detail: "Replaces one comparison.",
    risk: "medium",
  })
  answer(turn, asked, "approve")
  run(turn, asked, edit)
  finish(turn, asked, edit)
  rec.add(
    "artifact.changed",
    { ...turn.on, tool_call_id: asked.tool_call_id, step_id: asked.on.step_id },
    {
      artifact_id: "art_auth_ts",
      change: "updated",
      owner: "workspace",
      version: "2",
      title: "src/auth.ts",
      media_type: "text/x-typescript",
      refs: [blob(auth.replace("given == known", "timingSafeEqual(bytes(given), bytes(known))"))],
      validation_issues: 0,
      diff_ref: blob(
        "-  if (given == known) return true\n+  if (timingSafeEqual(bytes(given), bytes(known))) return true\n",
        { media_type: "text/x-diff" },
      ),
    },
  )
  ask(turn, [{ call: "shell", arguments: { command: "npx vitest run test/login.test.ts" } }])
  call(turn, {
    tool: "shell",
    input: { command: "npx vitest run test/login.test.ts" },
    command: ["npx", "vitest", "run", "test/login.test.ts"],
    output: testRun,
    ms: 1980,
    rule: "tests may run",
  })
  ask(turn, [
    {
      text: "The test passes again. `checkToken` compared with `==`; it now compares the bytes in constant time. One file changed, nine tests pass.",
    },
  ])
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_login_tests",
    kind: "verification",
    change: "observed",
    owner: "test-runner",
    ref: blob(testRun, { title: "test/login.test.ts, 9 of 9" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "passed",
    reflects: rec.next(session.on.session_id) - 1,
    missing: [],
  })
  endTurn(turn)
  return rec.facts
}

export function textToolText() {
  const rec = record("2026-03-02T10:00:00.000Z")
  const session = openSession(rec, "weather", "What to wear in Lisbon")
  const turn = beginTurn(session, "1", "What should I wear in Lisbon tomorrow?", { tools: ["fetch"] })
  ask(turn, [
    { text: "Let me look at tomorrow's forecast." },
    { call: "fetch", arguments: { url: "https://weather.example/lisbon" } },
  ])
  call(turn, {
    tool: "fetch",
    input: { url: "https://weather.example/lisbon" },
    output: '{"high":24,"low":15,"rain":0.1,"wind":"NW 18 km/h"}',
    ms: 340,
  })
  ask(turn, [
    { text: "Mild, 15 to 24 °C and nearly no rain. I'll check the evening, since it gets windy." },
    { call: "fetch", arguments: { url: "https://weather.example/lisbon/hourly" } },
  ])
  call(turn, {
    tool: "fetch",
    input: { url: "https://weather.example/lisbon/hourly" },
    output: '{"20:00":{"temp":17,"gusts":41}}',
    ms: 290,
  })
  ask(turn, [{ text: "A light shirt by day, and a jacket for the evening: 17 °C with gusts of 41 km/h." }])
  endTurn(turn)
  return rec.facts
}

export function correctedFinal() {
  const rec = record("2026-03-02T10:30:00.000Z")
  const session = openSession(rec, "sums", "Sum the invoices")
  const turn = beginTurn(session, "1", "Add up the March invoices: 1,204.50, 310.00 and 86.75.", {
    tools: [],
  })
  ask(turn, [
    {
      streamed: "The March invoices add up to 1,601.25 euros, VAT included.",
      text: "The March invoices add up to 1,601.25 euros. Whether that includes VAT is not stated in what you gave me.",
    },
  ])
  endTurn(turn)
  const again = beginTurn(session, "2", "And without the smallest one?", { tools: [] })
  ask(again, [{ text: "1,514.50 euros." }])
  endTurn(again)
  return rec.facts
}

export function failedTools() {
  const rec = record("2026-03-02T11:00:00.000Z")
  const session = openSession(rec, "deploy", "Deploy the preview")
  const turn = beginTurn(session, "1", "Deploy a preview of the branch and tell me the address.")
  ask(turn, [
    { text: "I'll read the configuration and deploy." },
    { call: "read_file", arguments: { path: "deploy.json" } },
  ])
  const missing = { tool: "read_file", input: { path: "deploy.json" }, output: "" }
  const gone = open(turn, missing)
  judge(turn, gone, missing, "allow", "reads are allowed")
  run(turn, gone, { ...missing, ms: 12 })
  fail(turn, gone, {
    category: "tool_error",
    message: "deploy.json does not exist.",
    next: "Name another file, or create it.",
  })
  ask(turn, [
    { text: "There is none. I'll try the command that the README names." },
    { call: "shell", arguments: { command: "curl -X POST https://deploy.example/hook" } },
  ])
  const hook = {
    tool: "shell",
    input: { command: "curl -X POST https://deploy.example/hook" },
    output: "",
    command: ["curl", "-X", "POST", "https://deploy.example/hook"],
  }
  const denied = open(turn, hook)
  judge(turn, denied, hook, "deny", "no network outside of the allowed hosts")
  fail(turn, denied, {
    category: "permission_denied",
    message: "The policy denies network access to deploy.example.",
    next: "Ask an owner to allow this host.",
  })
  ask(turn, [
    { text: "That is not allowed here. I'll build locally instead." },
    { call: "shell", arguments: { command: "npm run build" } },
  ])
  const build = {
    tool: "shell",
    input: { command: "npm run build" },
    output: "vite v8.1.0 building for production...\ntransforming (412) node_modules/react-dom/client.js\n",
    command: ["npm", "run", "build"],
    ms: 9000,
  }
  const cut = open(turn, build)
  judge(turn, cut, build, "allow", "builds may run")
  rec.add("sandbox.applied", cut.on, {
    process_id: "prc_build",
    requested: "workspace-write",
    profile: "workspace-write",
    driver: "bubblewrap",
    in_force: true,
    readable: ["/usr", "/workspace"],
    writable: ["/workspace"],
    network: "none",
  })
  rec.add("tool.progress", cut.on, { attempt: 1 })
  rec.add("process.started", cut.on, {
    process_id: "prc_build",
    command: ["npm", "run", "build"],
    cwd: "/workspace",
    sandbox_profile: "workspace-write",
    network: "none",
    stdin: "closed",
    tty: false,
    long_lived: false,
  })
  rec.wait(4200)
  rec.add("process.output", cut.on, {
    process_id: "prc_build",
    channel: "stdout",
    offset: 0,
    bytes: build.output.length,
    text: build.output,
  })
  rec.add("process.output", cut.on, {
    process_id: "prc_build",
    channel: "stderr",
    offset: 0,
    bytes: 42,
    text: "warning: chunk vendor is larger than 500 kB\n",
  })
  rec.wait(3100)
  rec.add("process.terminated", cut.on, {
    process_id: "prc_build",
    exit_code: "unknown",
    signal: "SIGTERM",
    duration_ms: 7300,
    reason: "the turn was interrupted",
    by: "user",
  })
  fail(
    turn,
    cut,
    {
      category: "interrupted",
      message: "Stopped when you interrupted the turn.",
      next: "Send the message again to build anew.",
    },
    build.output,
  )
  status(turn, "cancelled", "Cancelled", "You interrupted the turn")
  failTurn(turn, {
    status: "cancelled",
    category: "interrupted",
    reason: "Interrupted by the user.",
    by: "user",
  })
  return rec.facts
}
