import { spawn } from "node:child_process"

type Surroundings = { env: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform }

/** Where nobody looks at a screen, or a program starts the host, no browser opens. */
export function hasScreen({ env, platform }: Surroundings): boolean {
  if (env.CI) return false
  return platform !== "linux" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Does what it can: the address stands in the terminal anyway. */
export function openBrowser(address: string, platform: NodeJS.Platform = process.platform): void {
  const [program, args] = opener(address, platform)
  const child = spawn(program, args, { stdio: "ignore", detached: true })
  child.on("error", () => undefined)
  child.unref()
}

function opener(address: string, platform: NodeJS.Platform): [program: string, args: string[]] {
  if (platform === "darwin") return ["open", [address]]
  if (platform === "win32") return ["rundll32", ["url.dll,FileProtocolHandler", address]]
  return ["xdg-open", [address]]
}
