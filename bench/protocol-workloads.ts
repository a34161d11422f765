import { buildLog, coverage, failingTest, matches, packages, source, testLog } from "./protocol-outputs.ts"

/** One call of a tool: how long it takes, what it prints, and how often it fails before it does not. */
export type Step = {
  id: string
  tool: string
  args: Readonly<Record<string, unknown>>
  needs: readonly string[]
  ms: number
  output: string
  data?: object
  failures: number
  /** What of the output returns; absent: the summary. */
  result?: string
}

export type Workload = {
  name: string
  steps: readonly Step[]
  /** Each of the steps can only be chosen when the model has seen what the one before gave. */
  decided: boolean
  /** How often a failed call is tried again, by the runtime or by the model of a peer. */
  retries: number
  /** What the model must have read to answer. */
  needed: readonly string[]
}

type Given = Partial<Omit<Step, "id" | "tool" | "args" | "output">> & { output: string }

const step = (id: string, tool: string, args: Step["args"], given: Given): Step => ({
  id,
  tool,
  args,
  needs: [],
  ms: 1000,
  failures: 0,
  ...given,
})
const workload = (
  name: string,
  steps: readonly Step[],
  needed: readonly string[],
  more: Partial<Workload> = {},
): Workload => ({ name, steps, needed, decided: false, retries: 0, ...more })

/** Uneven, as tools are: from half a second to four. */
const uneven = (index: number): number => [1200, 3100, 700, 2400, 4000, 500, 1800, 900][index % 8] ?? 1000

const independent = workload(
  "independent calls",
  [
    ...packages.map((name, index) =>
      step(
        `t${index}`,
        "test",
        { package: name },
        {
          ms: uneven(index),
          output: testLog(name, { failing: name === "store" || name === "models" }),
        },
      ),
    ),
    ...["openLog", "foldRun", "renewLease", "readFact"].map((pattern, index) =>
      step(`g${index}`, "grep", { pattern }, { ms: 300 + index * 100, ...matches(pattern) }),
    ),
  ],
  [failingTest("store"), failingTest("models"), "count: 60"],
)

const report = [
  "8 packages, 960 tests, 1 of them not passed, 84 % of lines covered.",
  `Not passed: ${failingTest("gateway")}`,
  "Least covered: packages/tools 71 %, packages/models 76 %.",
]

/** Every package is built, tested and measured by itself; then everything is brought together. */
const mapReduce = workload(
  "map-reduce",
  [
    ...packages.flatMap((of, index) => [
      step(`b${index}`, "build", { package: of }, { ms: uneven(index + 3), output: buildLog(of) }),
      step(
        `t${index}`,
        "test",
        { package: of },
        { ms: uneven(index), output: testLog(of, { failing: of === "gateway" }), needs: [`b${index}`] },
      ),
      step(
        `c${index}`,
        "coverage",
        { package: of },
        { ms: uneven(index + 5), output: coverage(of), needs: [`t${index}`] },
      ),
    ]),
    step(
      "all",
      "report",
      {},
      { ms: 600, output: report.join("\n"), needs: packages.map((_, index) => `c${index}`), result: "full" },
    ),
  ],
  [failingTest("gateway"), "packages/tools 71 %"],
)

/** One install, two branches of their own length, one package at the end. */
const diamond = workload(
  "diamond",
  [
    step("install", "install", {}, { ms: 1500, output: buildLog("modules"), result: "on_failure" }),
    step("types", "typecheck", {}, { ms: 3500, output: "Found 0 errors.", needs: ["install"] }),
    step("lint", "lint", {}, { ms: 600, output: "Checked 412 files. No fixes applied.", needs: ["install"] }),
    step(
      "build",
      "build",
      { package: "client" },
      {
        ms: 700,
        output: buildLog("client"),
        needs: ["install"],
        result: "on_failure",
      },
    ),
    step("serve", "serve", {}, { ms: 400, output: "Listening on port 4173.", needs: ["build"] }),
    step("e2e", "e2e", {}, { ms: 2600, output: testLog("e2e", { failing: true }), needs: ["serve"] }),
    step(
      "pack",
      "pack",
      {},
      {
        ms: 800,
        output: "client-0.1.0.tgz 184 kB, 61 files",
        needs: ["types", "lint", "e2e"],
      },
    ),
  ],
  [failingTest("e2e"), "Found 0 errors.", "184 kB"],
)

const chained = ["status", "generate", "format", "lint", "typecheck", "build", "test", "pack"]

/** Each step works on the files that the one before left; which steps there are is known from the start. */
const chain = workload(
  "deep chain, known beforehand",
  chained.map((tool, index) =>
    step(
      tool,
      tool,
      {},
      {
        ms: 300 + (index % 4) * 250,
        output: tool === "test" ? testLog("chain", { failing: true }) : buildLog(tool),
        needs: chained.slice(Math.max(0, index - 1), index),
        result: tool === "test" ? "summary" : "on_failure",
      },
    ),
  ),
  [failingTest("chain")],
)

/** Two calls fail once, one for good: what needs it is never started. */
const mixed = workload(
  "mixed failure",
  packages.flatMap((name, index) => [
    step(
      `d${index}`,
      "deploy_preview",
      { package: name },
      {
        ms: uneven(index),
        output: buildLog(name),
        failures: index === 2 ? Number.POSITIVE_INFINITY : index === 0 || index === 4 ? 1 : 0,
        result: "on_failure",
      },
    ),
    step(
      `s${index}`,
      "smoke_test",
      { package: name },
      {
        ms: uneven(index + 2),
        output: testLog(name, { tests: 80, failing: name === "client" }),
        needs: [`d${index}`],
      },
    ),
  ]),
  [failingTest("client"), "registry answered 503", "d2 did not complete"],
  { retries: 2 },
)

const single = workload(
  "a single call",
  [
    step(
      "read",
      "read",
      { path: "packages/store/src/lease.ts" },
      {
        ms: 300,
        output: source("lease"),
        result: "full",
      },
    ),
  ],
  [source("lease")],
)

/** What is looked at next depends on what was just read. */
const decided = workload(
  "deep chain, the model decides each step",
  packages.slice(0, 6).map((name, index) =>
    step(
      `r${index}`,
      "read",
      { path: `packages/${name}/src/index.ts` },
      {
        ms: 300,
        output: source(name, 12),
        needs: index === 0 ? [] : [`r${index - 1}`],
        result: "full",
      },
    ),
  ),
  packages.slice(0, 6).map((name) => source(name, 12)),
  { decided: true },
)

export const workloads: readonly Workload[] = [independent, mapReduce, diamond, chain, mixed, single, decided]
