import { describe, expect, it } from "vitest"
import { canonicalReference, memoryArtifacts, outputRef } from "../../src/artifacts.ts"
import { checkGraph, dependenciesOf, findCycle } from "../../src/graph.ts"
import { sha256 } from "../../src/hash.ts"
import { readMarkdown } from "../../src/markdown.ts"
import { expandAction } from "../../src/node-request.ts"
import { parseReference } from "../../src/references.ts"
import { resolveReference } from "../../src/resolve.ts"
import { action, artifact, completed, failed, graph, ran, scope } from "./fixtures.ts"

const found = (text: string) => ({ ok: true, text, hash: sha256(text) })
const inText = (text: string, ref: string) =>
  resolveReference(ref, scope({ sections: readMarkdown(text).sections }))
const codeOf = (ref: string, over: Parameters<typeof scope>[0] = {}) => {
  const answer = resolveReference(ref, scope(over), "context_refs[0]")
  return answer.ok ? "ok" : [answer.issue.code, answer.reason.code, answer.issue.path]
}

describe("md: references", () => {
  it.each([
    ["plain", "## review.prompt"],
    ["blanks at the ends", "##   review.prompt   "],
    ["closing signs", "## review.prompt ##"],
    ["inline code", "## `review.prompt`"],
    ["other case", "## Review.PROMPT"],
    ["underlined", "review.prompt\n---"],
    ["level 1", "# review.prompt"],
    ["level 6", "###### review.prompt"],
  ])("[MP-REF-1] a heading is found by its normalised text: %s", (_, heading) => {
    expect(inText(`${heading}\n\nDo it.\n`, "md:review.prompt")).toEqual(found("Do it."))
  })

  it("[MP-REF-1] blanks inside are collapsed and the reference is normalised alike", () => {
    expect(inText("## shared   context\n\nText.", "md: Shared context ")).toEqual(found("Text."))
  })

  it("[MP-REF-1] a heading that only begins alike is another", () => {
    expect(inText("## review.prompt.more\n\nNo.", "md:review.prompt").ok).toBe(false)
  })

  it("[MP-REF-2] a section keeps its subheadings and ends at a heading of its own or a higher level", () => {
    const text = "## a\n\none\n\n### sub\n\ntwo\n\n## b\n\nthree\n\n### c\n\nfour\n\n# d\n\nfive"
    expect(inText(text, "md:a")).toEqual(found("one\n\n### sub\n\ntwo"))
    expect(inText(text, "md:sub")).toEqual(found("two"))
    expect(inText(text, "md:c")).toEqual(found("four"))
    expect(inText(text, "md:d")).toEqual(found("five"))
  })

  it("[MP-REF-2] a line that looks like a heading inside a code fence is none", () => {
    const text = "## a\n\n```sh\n# b\n```\n\nend"
    expect(inText(text, "md:a")).toEqual(found("```sh\n# b\n```\n\nend"))
    expect(inText(text, "md:b").ok).toBe(false)
  })

  it.each([
    ["missing", "md:none", "unresolved_ref"],
    ["ambiguous", "md:twice", "ambiguous_ref"],
    ["numeric", "md:12", "unresolved_ref"],
    ["blank", "md: ", "unresolved_ref"],
  ])("[MP-REF-3] a section id that is %s is not resolved", (_, ref, code) => {
    const sections = readMarkdown("## twice\n\na\n\n## twice\n\nb\n\n## 12\n\nc").sections
    expect(codeOf(ref, { sections })).toEqual([code, "unresolved_ref", "context_refs[0]"])
  })

  it("[MP-REF-3] a section that is named twice is said to be", () => {
    const answer = inText("## a\n\n1\n\n## a\n\n2", "md:a")
    expect(answer).toEqual({
      ok: false,
      issue: {
        code: "ambiguous_ref",
        path: "",
        message: "md:a names more than one heading.",
        fix: "Give each section a heading of its own.",
      },
      reason: { code: "unresolved_ref", message: "md:a names more than one heading." },
    })
  })

  it("[MP-REF-4] the executor reads the text of the section and never the reference", () => {
    const sections = readMarkdown("## shared\n\nKnown facts.\n\n## do.it\n\nReview it.").sections
    const expanded = expandAction(
      action("a", { prompt_ref: "md:do.it", context_refs: ["md:shared"] }),
      scope({ sections }),
    )
    expect(expanded.ok && expanded.request.text).toBe(
      '<node-request run_id="run_1" action_id="a">\n  <context>\n    Known facts.\n  </context>\n  <task>\n    Review it.\n  </task>\n</node-request>',
    )
  })

  it("[MP-REF-5] the request keeps the hash of prompt and context, which can be computed again", () => {
    const sections = readMarkdown("## shared\n\nKnown.\n\n## do.it\n\nReview.").sections
    const expanded = expandAction(
      action("a", { prompt_ref: "md:do.it", context_refs: ["md:shared"] }),
      scope({ sections }),
    )
    expect(expanded.ok && [expanded.request.task, expanded.request.context]).toEqual([
      { text: "Review.", hash: sha256("Review.") },
      [{ ref: "md:shared", text: "Known.", hash: sha256("Known."), form: "text" }],
    ])
  })
})

describe("action: and input: references", () => {
  const known = {
    actions: [
      action("inspect"),
      action("review"),
      action("secret", { private: true }),
      action("low", { visibility: "user" }),
    ],
    runs: {
      inspect: ran("inspect", completed("the whole output", { summary: "two files" })),
      review: ran("review", failed("no")),
      secret: ran("secret", completed("hidden")),
      low: ran("low", completed("for people")),
    },
  }

  it("[MP-REF-6] summary gives the summary", () => {
    expect(resolveReference("action:inspect.summary", scope(known))).toEqual(found("two files"))
  })

  it("[MP-REF-6] summary gives a summary that was already made", () => {
    const summaries = { inspect: "made before" }
    expect(resolveReference("action:inspect.summary", scope({ ...known, summaries }))).toEqual(
      found("made before"),
    )
  })

  it("[MP-REF-6] output gives the output", () => {
    expect(resolveReference("action:inspect.output", scope(known))).toEqual(found("the whole output"))
  })

  it("[MP-REF-6] the last of several attempts counts", () => {
    const runs = { inspect: ran("inspect", failed("first"), completed("second")) }
    expect(resolveReference("action:inspect.output", scope({ ...known, runs }))).toEqual(found("second"))
  })

  it.each([
    "action:inspect.result",
    "action:inspect",
    "action:.output",
    "action:unknown.output",
    "action:constructor.summary",
  ])("[MP-REF-6] %s is refused", (ref) => {
    expect(codeOf(ref, known)).toEqual(["unresolved_ref", "unresolved_ref", "context_refs[0]"])
  })

  it("[MP-REF-7] the user's goal comes verbatim", () => {
    const goal = "  当前插件各个按钮点了都没效果\n\n修复 🙂 & <b>  "
    expect(resolveReference("input:user.goal", scope({ goal }))).toEqual(found(goal))
  })

  it("[MP-REF-7] a goal that is not known is not resolved", () => {
    expect(codeOf("input:user.goal")).toEqual(["unresolved_ref", "unresolved_ref", "context_refs[0]"])
    expect(codeOf("input:user.name")).toEqual(["unresolved_ref", "unresolved_ref", "context_refs[0]"])
  })

  it.each([
    ["failed", "review", "action:review.output has no result: the action is failed."],
    ["is private", "secret", "action:secret.output is withheld."],
    ["is not visible to models", "low", "action:low.output is withheld."],
  ])("[MP-REF-10] when the producer %s the action is blocked with unresolved_ref", (_, id, message) => {
    const answer = expandAction(action("next", { context_refs: [`action:${id}.output`] }), scope(known))
    expect(answer).toEqual({
      ok: false,
      issues: [
        {
          code: "unresolved_ref",
          path: "context_refs[0]",
          message,
          fix: "Name something that exists, or leave the reference out.",
        },
      ],
      reason: { code: "unresolved_ref", message, action_id: id },
    })
  })

  it("[MP-REF-10] a result that came after the end is not given", () => {
    const runs = { inspect: { ...ran("inspect", completed("late")), status: "canceled" } as const }
    const answer = resolveReference("action:inspect.output", scope({ ...known, runs }))
    expect(!answer.ok && answer.reason.message).toBe(
      "action:inspect.output has no result: the action is canceled.",
    )
  })

  it("[MP-REF-10] an action that is completed without an outcome has no result", () => {
    const runs = { inspect: { ...ran("inspect"), status: "completed" } as const }
    expect(codeOf("action:inspect.output", { ...known, runs })).toEqual([
      "unresolved_ref",
      "unresolved_ref",
      "context_refs[0]",
    ])
  })

  it("[MP-REF-6] what is wrong is said", () => {
    const messageOf = (ref: string) => {
      const answer = resolveReference(ref, scope(known))
      return answer.ok ? "ok" : answer.issue.message
    }
    expect(messageOf("action:unknown.output")).toBe("action:unknown.output names no action of this run.")
    expect(messageOf("input:user.goal")).toBe("input:user.goal is not known here.")
    expect(messageOf("md:none")).toBe("md:none names no heading of this output.")
  })

  it("[MP-REF-10] an action that has not run has no result yet", () => {
    const answer = resolveReference("action:a.summary", scope({ actions: [action("a")], runs: {} }))
    expect(!answer.ok && answer.reason.message).toBe("action:a.summary has no result: the action is pending.")
  })

  it("[MP-GRAPH-10] a reference to an action counts as a dependency", () => {
    expect(
      dependenciesOf(action("b", { context_refs: ["action:a.summary", "md:x"], depends_on: ["c"] })),
    ).toEqual(["c", "a"])
    expect(dependenciesOf(action("b", { prompt_ref: "action:p.output" }))).toEqual(["p"])
    const actions = [action("b", { context_refs: ["action:a.summary"] }), action("a", { depends_on: ["b"] })]
    expect([...(findCycle(actions) ?? [])].toSorted()).toEqual(["a", "b"])
    expect(checkGraph(graph(actions)).map(({ code }) => code)).toEqual(["cycle"])
  })
})

describe("stored records", () => {
  const artifacts = memoryArtifacts()
  artifacts.put(artifact(outputRef("run_0", "inspect"), "older output", { run_id: "run_0" }))
  artifacts.put(artifact("runtime://run_0/declaration", "the declaration", { run_id: "run_0" }))
  artifacts.put(artifact("artifact:report", "my report"))
  artifacts.put(artifact("artifact:report", "their report", { run_id: "run_0" }))
  artifacts.put(artifact("artifact:only_there", "theirs", { run_id: "run_0" }))
  artifacts.put(artifact(outputRef("run_0", "private"), "PRIVATE", { run_id: "run_0", private: true }))
  artifacts.put(artifact(outputRef("run_0", "own"), "OWN", { run_id: "run_0", visibility: "model" }))
  artifacts.put(artifact(outputRef("run_1", "own"), "mine", { visibility: "model" }))

  it.each([
    "runtime://run_0/actions/inspect/output",
    "runtime://runs/run_0/actions/inspect/output",
    "artifact://run_0/inspect",
    "artifact://run_0/actions/inspect/output",
  ])("[MP-REF-8] %s is the same record", (ref) => {
    expect(resolveReference(ref, scope({ artifacts }))).toEqual(found("older output"))
    const expanded = expandAction(action("a", { context_refs: [ref] }), scope({ artifacts }))
    expect(expanded.ok && expanded.request.text).toContain("    older output\n")
  })

  it("[MP-REF-8] a record of a run is found in both spellings", () => {
    expect(resolveReference("runtime://runs/run_0/declaration", scope({ artifacts }))).toEqual(
      found("the declaration"),
    )
    expect(resolveReference("runtime://run_0/declaration", scope({ artifacts }))).toEqual(
      found("the declaration"),
    )
  })

  it("[MP-REF-9] a name means an artifact of the current run only", () => {
    expect(resolveReference("artifact:report", scope({ artifacts }))).toEqual(found("my report"))
    expect(resolveReference("artifact:report", scope({ artifacts, run_id: "run_0" }))).toEqual(
      found("their report"),
    )
    expect(codeOf("artifact:only_there", { artifacts })).toEqual([
      "unresolved_ref",
      "unresolved_ref",
      "context_refs[0]",
    ])
  })

  it("[MP-REF-9] also a store that mixes up runs gives no artifact of another run by name", () => {
    const theirs = artifact("artifact:report", "theirs", { run_id: "run_0" })
    const careless = { get: () => theirs, put: () => undefined }
    expect(codeOf("artifact:report", { artifacts: careless })).toEqual([
      "unresolved_ref",
      "unresolved_ref",
      "context_refs[0]",
    ])
  })

  it("[MP-REF-9] the printed form resolves like runtime://", () => {
    expect(canonicalReference("artifact://run_0/inspect", "x")).toBe(
      "runtime://runs/run_0/actions/inspect/output",
    )
    expect(canonicalReference("artifact://call_read", "x")).toBe("runtime://runs/call_read")
    expect(canonicalReference("runtime://run_0/a#from=3", "x")).toBe("runtime://runs/run_0/a")
    expect(canonicalReference("artifact:report", "x")).toBe("runtime://runs/x/artifacts/report")
    for (const other of [
      "md:x",
      "x artifact:report",
      "artifact:a b",
      "x runtime://run_0/a",
      "runtime://run 0",
    ])
      expect(canonicalReference(other, "x")).toBeUndefined()
  })

  it("[MP-REF-8] a foreign record is answered exactly like an unknown one", () => {
    const owns = (run_id: string) => run_id === "run_1"
    const { owns: _, ...closed } = scope({ artifacts })
    expect(resolveReference("runtime://run_0/actions/inspect/output", closed)).toMatchObject({ ok: false })
    const foreign = resolveReference("runtime://run_0/actions/inspect/output", scope({ artifacts, owns }))
    const unknown = resolveReference("runtime://run_9/actions/inspect/output", scope({ artifacts, owns }))
    expect(JSON.stringify(foreign).replaceAll("run_0", "run_9")).toBe(JSON.stringify(unknown))
    expect(foreign.ok).toBe(false)
  })

  it("[MP-POLICY-9] a private record gives no text", () => {
    const answer = resolveReference("artifact://run_0/private", scope({ artifacts }))
    expect(answer.ok).toBe(false)
    expect(JSON.stringify(answer)).not.toContain("PRIVATE")
  })

  it("[MP-POLICY-8] a result kept for its own run is not given to a later one", () => {
    const answer = resolveReference("artifact://run_0/own", scope({ artifacts }))
    expect(!answer.ok && answer.reason.message).toBe("artifact://run_0/own was kept for its own run only.")
    expect(resolveReference("artifact://run_1/own", scope({ artifacts }))).toEqual(found("mine"))
  })
})

describe("what is refused", () => {
  it.each(["http://example.org/x", "repo", "", "MD:a", "ftp:x", "javascript:alert(1)"])(
    "[MP-REF-11] the scheme of %j is unknown",
    (ref) => {
      expect(codeOf(ref)).toEqual(["unknown_scheme", "unresolved_ref", "context_refs[0]"])
      expect(parseReference(ref, "p").ok).toBe(false)
    },
  )

  it("[MP-REF-11] words in expanded text that look like references stay as they are", () => {
    const sections = readMarkdown(
      "## a\n\nSee md:b, action:x.output and {{input:user.goal}}.\n\n## b\n\nNEVER",
    ).sections
    const expanded = expandAction(action("n", { context_refs: ["md:a"] }), scope({ sections, goal: "GOAL" }))
    expect(expanded.ok && expanded.request.context.map(({ text }) => text)).toEqual([
      "See md:b, action:x.output and {{input:user.goal}}.",
    ])
  })

  it.each(["file:src/a.ts", "repo://current/src/a.ts"])(
    "[MP-REF-11] without a way to read files %s is refused",
    (ref) => {
      expect(codeOf(ref)).toEqual(["forbidden_ref", "not_permitted", "context_refs[0]"])
    },
  )

  it("[MP-REF-11] a file that breaks its port is refused", () => {
    const readFile = () => {
      throw new Error("ENOENT /home/someone/a.ts")
    }
    const refused = resolveReference("file:a.ts", scope({ readFile }))
    expect(refused.ok || refused.issue.message).toBe("file:a.ts is refused: it could not be read.")
  })

  it("[MP-REF-11] a file is read through the port, which may refuse", () => {
    const readFile = (path: string) =>
      path === "src/a.ts"
        ? ({ ok: true, text: "code" } as const)
        : ({ ok: false, message: "outside" } as const)
    expect(resolveReference("repo://current/src/a.ts", scope({ readFile }))).toEqual(found("code"))
    const refused = resolveReference("file:../x", scope({ readFile }))
    expect(refused).toEqual({
      ok: false,
      issue: {
        code: "forbidden_ref",
        path: "",
        message: "file:../x is refused: outside.",
        fix: "Name a file of the workspace that may be read.",
      },
      reason: { code: "not_permitted", message: "file:../x is refused: outside." },
    })
  })

  it("[MP-REF-11] a reference that is much too long is shown only in part", () => {
    const answer = resolveReference(`runtime://${"x".repeat(5000)}`, scope())
    expect(!answer.ok && answer.issue.message.length).toBe(200 + 1 + " names nothing that is stored.".length)
  })
})
