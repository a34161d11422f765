// Runs on Node 20: finds or installs the programs that the tests need from the system.
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { Unprepared } from "./prepare.mjs"

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const macBrowser = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

/** What each system calls them, and the words that install them without a question. */
const managers = [
  { program: "apt-get", before: ["update"], install: ["install", "-y", "--no-install-recommends"] },
  { program: "dnf", install: ["install", "-y"] },
  { program: "pacman", install: ["-Sy", "--noconfirm", "--needed"] },
  { program: "zypper", install: ["--non-interactive", "install"] },
  { program: "apk", install: ["add"] },
]

/** Returns the path of the browser; throws with what to install where it may not install itself. */
export function systemPrograms() {
  if (missing().length > 0) installPrograms(missing())
  const absent = missing()
  if (absent.length > 0) throw new Unprepared(advice(absent))
  const browser = findBrowser()
  // Where the package is a stub that leads elsewhere, the program is there and does not start.
  if (!run([browser, "--version"], "ignore")) throw new Unprepared(stub(browser))
  return browser
}

function missing() {
  const packages = []
  if (!findBrowser()) packages.push("chromium")
  if (process.platform === "linux" && !find("bwrap")) packages.push("bubblewrap")
  if (!find("curl")) packages.push("curl")
  return packages
}

function findBrowser() {
  const named = [process.env.FACTUM_CHROMIUM, process.env.CHROME_PATH].find((path) => path && isProgram(path))
  return named ?? browsers.map(find).find(Boolean) ?? (isProgram(macBrowser) ? macBrowser : undefined)
}

function find(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function installPrograms(packages) {
  const asRoot = rootPrefix()
  const manager = managers.find(({ program }) => find(program))
  if (!manager || !asRoot) return
  const { program, before, install } = manager
  console.log(`Installing system packages (${packages.join(", ")}) with ${program}…`)
  const command = [...asRoot, "env", "DEBIAN_FRONTEND=noninteractive", program]
  if (program === "apt-get") command.push("-qq")
  if (before) run([...command, ...before])
  run([...command, ...install, ...packages])
}

function rootPrefix() {
  if (process.getuid?.() === 0) return []
  return find("sudo") && run(["sudo", "-n", "true"], "ignore") ? ["sudo", "-n"] : undefined
}

function run([program, ...args], stdio = ["ignore", "inherit", "inherit"]) {
  return spawnSync(program, args, { stdio, timeout: 1_800_000 }).status === 0
}

function advice(packages) {
  const { program, install } = managers.find(({ program }) => find(program)) ?? managers[0]
  const how =
    process.platform === "linux"
      ? `for example: sudo ${program} ${install[0]} ${packages.join(" ")}`
      : "install Chromium or Google Chrome, or name it in FACTUM_CHROMIUM"
  return `The tests need ${packages.join(" and ")} (${how}).`
}

function stub(browser) {
  return `${browser} does not start. Install Chromium or Google Chrome itself and name it in FACTUM_CHROMIUM.`
}
