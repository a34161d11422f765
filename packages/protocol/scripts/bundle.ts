import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "vite"

/** The package as a browser gets it, with all that it imports; the tokenizer is an entry of its own. */
export async function bundle(): Promise<{ code: string; gzip: number }> {
  const input = fileURLToPath(new URL("../src/index.ts", import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: "silent",
    // Not as a library: of those the white space is kept.
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: { input, preserveEntrySignatures: "strict" },
    },
  })
  const chunks = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
  const code = chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("")
  return { code, gzip: gzipSync(code).length }
}
