import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  // The mutated copy stands in a folder of its own: without this its tests would load the original.
  resolve: {
    alias: { "@factum/facts": fileURLToPath(new URL("packages/facts/src/index.ts", import.meta.url)) },
  },
  test: {
    include: [
      "packages/agent-ui/test/runtime/**/*.test.ts",
      "packages/facts/test/**/*.test.ts",
      "packages/protocol/test/**/*.test.ts",
      "packages/runtime/test/control*/**/*.test.ts",
      "packages/runtime/test/control*.test.ts",
    ],
    // Slow, or about files that are not in the mutated copy. The first proves declarations, which are not mutated.
    exclude: [
      "packages/facts/test/generated/**",
      "packages/protocol/test/**/{fuzz,crash,bundle,readme,endless}*.test.ts",
    ],
    testTimeout: 30_000,
  },
})
