import { type Checked, issue, refuse } from "./issues.ts"

export type Reference =
  | { kind: "md"; section: string }
  | { kind: "action"; action_id: string; part: "summary" | "output" }
  | { kind: "input"; name: "user.goal" }
  | { kind: "runtime"; run_id: string; path: string }
  | { kind: "artifact"; name: string }
  | { kind: "file"; path: string }

const form =
  "Use md:<section>, action:<id>.summary, action:<id>.output, input:user.goal, runtime://<run>/… or artifact:<name>."

/** Reads the text of a reference; whether what it names exists is decided where it is resolved. */
export function parseReference(text: string, path: string): Checked<Reference> {
  const scheme = /^[a-z]+(?=:)/.exec(text)?.[0]
  const rest = scheme === undefined ? "" : text.slice(scheme.length + 1)
  switch (scheme) {
    case "md":
      if (rest.trim() === "" || /^\d+$/.test(rest.trim()))
        return bad("unresolved_ref", `${text} names no section by its words.`)
      return { ok: true, value: { kind: "md", section: rest.trim() } }
    case "action": {
      const found = /^([A-Za-z0-9_-]+)\.(summary|output)$/.exec(rest)
      if (found === null)
        return bad("unresolved_ref", `${text} is not action:<id>.summary or action:<id>.output.`)
      return {
        ok: true,
        value: {
          kind: "action",
          action_id: found[1] ?? "",
          part: found[2] === "summary" ? "summary" : "output",
        },
      }
    }
    case "input":
      if (rest !== "user.goal") return bad("unresolved_ref", `${text} is not input:user.goal.`)
      return { ok: true, value: { kind: "input", name: "user.goal" } }
    case "runtime":
    case "artifact": {
      if (scheme === "artifact" && !rest.startsWith("//")) {
        if (!/^[\w.-]+$/.test(rest)) return bad("unresolved_ref", `${text} is not artifact:<name>.`)
        return { ok: true, value: { kind: "artifact", name: rest } }
      }
      const found = /^\/\/(?:runs\/)?([\w.-]+)(?:\/(.*))?$/.exec(rest)
      if (found === null) return bad("unresolved_ref", `${text} names no run.`)
      return { ok: true, value: { kind: "runtime", run_id: found[1] ?? "", path: found[2] ?? "" } }
    }
    case "file":
      return { ok: true, value: { kind: "file", path: rest } }
    case "repo":
      return { ok: true, value: { kind: "file", path: rest.replace(/^\/\/(current\/?)?/, "") } }
    default:
      return bad("unknown_scheme", `${text.slice(0, 80)} has no known scheme.`)
  }

  function bad(code: "unresolved_ref" | "unknown_scheme", message: string) {
    return refuse(issue(code, path, message, form))
  }
}
