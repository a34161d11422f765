import { fileURLToPath } from "node:url"
import { mergeConfig } from "vite"
import page from "./vite.config.ts"

/** The gallery is built beside the page, into a folder of its own. */
export default mergeConfig(page, {
  build: {
    outDir: "gallery/dist",
    rolldownOptions: { input: fileURLToPath(new URL("gallery.html", import.meta.url)) },
  },
})
