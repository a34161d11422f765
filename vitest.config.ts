import { defineConfig } from "vitest/config"

/** Tests that look at the page in a real browser. */
const inBrowser = ["apps/workbench/test/**/*.test.ts"]

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", "./scripts/title-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "workbench",
          include: inBrowser,
          globalSetup: "apps/workbench/test/build-page.ts",
          // What a page shows comes by itself: it is looked for until then, on a machine that may be busy.
          expect: { poll: { timeout: 20_000, interval: 50 } },
        },
      },
      {
        extends: true,
        test: {
          name: "rest",
          include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: inBrowser,
        },
      },
    ],
  },
})
