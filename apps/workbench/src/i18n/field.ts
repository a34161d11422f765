import type { FieldProblem } from "../client/answer-form.ts"

/** What is wrong with one field of an answer. */
export const en = (problem: FieldProblem): string => {
  switch (problem.kind) {
    case "required":
      return "This is needed."
    case "number":
      return "Give a number."
    case "integer":
      return "Give a whole number."
    case "object":
      return "This is not a JSON object."
    case "least":
      return `Give ${problem.limit} or more.`
    case "most":
      return `Give ${problem.limit} or less.`
    case "shortest":
      return `Give ${problem.limit} characters or more.`
    case "longest":
      return `Give ${problem.limit} characters or fewer.`
  }
}

export const zh: typeof en = (problem) => {
  switch (problem.kind) {
    case "required":
      return "必须填写。"
    case "number":
      return "请填写数字。"
    case "integer":
      return "请填写整数。"
    case "object":
      return "这不是 JSON 对象。"
    case "least":
      return `不能小于 ${problem.limit}。`
    case "most":
      return `不能大于 ${problem.limit}。`
    case "shortest":
      return `至少 ${problem.limit} 个字符。`
    case "longest":
      return `最多 ${problem.limit} 个字符。`
  }
}
