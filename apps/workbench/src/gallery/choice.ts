import type { SurfaceName } from "@factum/agent-ui"
import { exhibits } from "./surfaces.ts"

export const states = ["trace", "empty", "loading", "unknown", "unavailable", "stale", "blocked"] as const
export type Staged = (typeof states)[number]

/** What the gallery shows: all of it stands in the address. */
export type GalleryChoice = {
  surface: SurfaceName
  trace: string
  state: Staged
  /** How many of the trace's facts are told; all when left out. */
  at: number | undefined
  /** The teammate whose transcript is open. */
  agent: string | undefined
  /** The artifact that is open; the one with the most versions when left out. */
  artifact: string | undefined
  ports: "all" | "none"
  theme: "light" | "dark"
  language: "en" | "zh"
  width: number | undefined
  bare: boolean
}

export function readChoice(query: string): GalleryChoice {
  const asked = new URLSearchParams(query)
  const surface = shownSurfaces.find((name) => name === asked.get("surface")) ?? "team_roster"
  const figure = (name: string) => {
    const value = Number(asked.get(name))
    return asked.has(name) && Number.isInteger(value) && value > 0 ? value : undefined
  }
  return {
    surface,
    trace: asked.get("trace") ?? exhibits[surface]?.trace ?? "coordinator-team",
    state: states.find((state) => state === asked.get("state")) ?? "trace",
    at: figure("at"),
    agent: asked.get("agent") ?? undefined,
    artifact: asked.get("artifact") ?? undefined,
    ports: asked.get("ports") === "none" ? "none" : "all",
    theme: asked.get("theme") === "dark" ? "dark" : "light",
    language: asked.get("language") === "zh" ? "zh" : "en",
    width: figure("width"),
    bare: asked.get("bare") === "1",
  }
}

export function writeChoice({ bare, ...choice }: GalleryChoice): string {
  const given = Object.entries(choice).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return `?${new URLSearchParams([...given, ...(bare ? [["bare", "1"]] : [])])}`
}

/** In the order in which they are registered. */
export const shownSurfaces = Object.keys(exhibits).filter((name): name is SurfaceName => name in exhibits)
