import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from "vitest/node"

export type TestTitle = { title: string; name: string; file: string; state: string }
export type Titles = {
  reason: string
  totals: { passed: number; failed: number; skipped: number }
  tests: TestTitle[]
}

/** Records which tests ran and how they ended, for the coverage of rules. */
export default class TitleReporter implements Reporter {
  private root = process.cwd()

  onInit(vitest: Vitest) {
    this.root = vitest.config.root
  }

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    unhandled: ReadonlyArray<unknown>,
    reason: TestRunEndReason,
  ) {
    const tests = modules.flatMap((module) => [...module.children.allTests()].map(titleOf))
    const count = (state: string) => tests.filter((test) => test.state === state).length
    const totals = {
      passed: count("passed"),
      // A test still pending at the end was cut off; a file or hook that broke has no test of its own.
      failed: count("failed") + count("pending") + brokenModules(modules) + unhandled.length,
      skipped: count("skipped"),
    }
    const titles: Titles = { reason, totals, tests }
    const name = process.env.FACTUM_FULL === "1" ? "titles.json" : "titles-partial.json"
    mkdirSync(join(this.root, "reports"), { recursive: true })
    writeFileSync(join(this.root, "reports", name), `${JSON.stringify(titles, null, 1)}\n`)
  }
}

function titleOf(test: TestCase): TestTitle {
  return {
    title: test.fullName,
    name: test.name,
    file: test.module.relativeModuleId,
    state: test.result().state,
  }
}

function brokenModules(modules: ReadonlyArray<TestModule>) {
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
  return suites.filter((suite) => suite.errors().length > 0).length
}
