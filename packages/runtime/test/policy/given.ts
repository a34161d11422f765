import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { judge } from "../../src/policy/judge.ts"
import { realRules } from "../../src/policy/match.ts"
import { operationOf } from "../../src/policy/operation.ts"
import { partsOf, type Where } from "../../src/policy/parts.ts"
import type { Mode, Rule } from "../../src/policy/types.ts"
import type { Explanation, Voice } from "../../src/policy/verdict.ts"
import type { Touch } from "../../src/ports/tool.ts"

export type World = Where & { out: string; end(): Promise<void> }

/** A workspace with secrets, links to them and out of it, a home, and a folder outside. */
export async function world(): Promise<World> {
  const top = await realpath(await mkdtemp(path.join(tmpdir(), "policy-")))
  const [cwd, home, out] = [path.join(top, "ws"), path.join(top, "home"), path.join(top, "out")]
  for (const folder of ["src", "secrets", ".git/hooks", ".factum/agents", "deep"])
    await mkdir(path.join(cwd, folder), { recursive: true })
  await mkdir(path.join(home, ".ssh"), { recursive: true })
  await mkdir(out)
  for (const file of ["src/a.ts", "secrets/key", ".env", "src/.env"])
    await writeFile(path.join(cwd, file), "x")
  await writeFile(path.join(cwd, ".git/HEAD"), "ref: refs/heads/main")
  await writeFile(path.join(out, "f"), "x")
  await symlink("secrets", path.join(cwd, "link"))
  await symlink(out, path.join(cwd, "out"))
  await symlink("loop", path.join(cwd, "loop"))
  await symlink(".git/hooks", path.join(cwd, "githooks"))
  return { cwd, roots: [cwd], home, out, end: () => rm(top, { recursive: true, force: true }) }
}

export type Asked = {
  tool?: string
  mode?: Mode
  rules?: readonly Rule[]
  sources?: readonly Voice[]
  version?: string
}

export async function judged(touches: readonly Touch[], of: World, asked: Asked = {}): Promise<Explanation> {
  const { tool = "shell", mode = "ask", rules = [], sources = [], version = "p1" } = asked
  return judge({
    operation: operationOf(tool, {}, touches),
    parts: await partsOf(touches, of),
    policy: { version, mode, rules: await realRules(rules, of) },
    where: of,
    sources,
  })
}

export const command = (text: string, of: World): readonly Touch[] => [
  { kind: "command", command: filled(text, of), cwd: of.cwd },
]

export const filled = (text: string, of: World): string =>
  text.replaceAll("{ws}", of.cwd).replaceAll("{home}", of.home).replaceAll("{out}", of.out)
