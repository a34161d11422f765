import { fileURLToPath } from "node:url"
import react from "@vitejs/plugin-react"
import { build } from "vite"

export const references = ["ai-elements", "assistant-ui"] as const

/** The pages of the references as their makers build theirs: minified, with React for production. */
export async function buildReferences(outDir: string): Promise<void> {
  process.env.NODE_ENV = "production"
  const input = references.map((name) => fileURLToPath(new URL(`${name}.html`, import.meta.url)))
  await build({
    root: fileURLToPath(new URL(".", import.meta.url)),
    configFile: false,
    logLevel: "error",
    plugins: [react()],
    build: { outDir, emptyOutDir: true, target: "es2024", rolldownOptions: { input } },
  })
}
