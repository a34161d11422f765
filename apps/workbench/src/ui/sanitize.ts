import DOMPurify from "dompurify"
import { toHtml } from "./markdown.ts"

const allowed = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "input"],
    ...["h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"],
  ],
  ALLOWED_ATTR: ["href", "title", "align", "start", "type", "checked", "disabled"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  RETURN_TRUSTED_TYPE: false,
}

/** Safe HTML of one block: no script, no remote resource, no form, no class that could imitate a control. */
export function htmlOf(raw: string): string {
  return DOMPurify.sanitize(toHtml(raw), allowed)
}

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A" && node.hasAttribute("href")) {
    node.setAttribute("target", "_blank")
    node.setAttribute("rel", "noopener noreferrer nofollow")
  }
  // The only input that Markdown makes is the box of a task list, which nobody may press.
  if (node.tagName === "INPUT") {
    if (node.getAttribute("type") !== "checkbox") node.remove()
    else node.setAttribute("disabled", "")
  }
})
