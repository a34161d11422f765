import DOMPurify from "dompurify"
import { type Definition, toHtml } from "./markdown.ts"

const allowed = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "em", "strong", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "input"],
    ...["h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"],
    "img",
  ],
  ALLOWED_ATTR: [...["href", "title", "align", "start", "type", "checked", "disabled"], ...["src", "alt"]],
  ALLOW_DATA_ATTR: false,
  // What is no address is not judged as one.
  ADD_URI_SAFE_ATTR: ["type", "align", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  RETURN_TRUSTED_TYPE: false,
}

/**
 * Safe HTML of one block: no script, no remote resource, no form, no class that could imitate a control. A picture
 * becomes a link to it, with words that say that it was not loaded.
 */
export function htmlOf(
  raw: string,
  notLoaded: (host: string) => string,
  definitions?: readonly Definition[],
): string {
  const body = DOMPurify.sanitize(toHtml(raw, definitions), { ...allowed, RETURN_DOM_FRAGMENT: true })
  for (const image of body.querySelectorAll("img")) image.replaceWith(linkTo(image, notLoaded))
  for (const item of body.querySelectorAll("li")) {
    if (item.querySelector(":scope > input, :scope > p:first-child > input")) item.dataset.task = ""
  }
  const holder = document.createElement("div")
  holder.append(body)
  return holder.innerHTML
}

function linkTo(image: HTMLImageElement, notLoaded: (host: string) => string): HTMLElement {
  const source = image.getAttribute("src") ?? ""
  const url = URL.parse(source)
  const isRemote = url !== null && /^https?:$/.test(url.protocol)
  const place = document.createElement(isRemote ? "a" : "span")
  place.dataset.image = ""
  const from = isRemote ? url.host : (url?.protocol.slice(0, -1) ?? source)
  place.textContent = [image.alt, notLoaded(from || "?")].filter(Boolean).join(" · ")
  if (isRemote && place instanceof HTMLAnchorElement) {
    place.href = url.href
    leavesPage(place)
  }
  return place
}

/** Nobody but the host gives this page its token. */
const isToken = (address: string): boolean => {
  if (!URL.canParse(address, location.href)) return false
  const { origin, hash } = new URL(address, location.href)
  return origin === location.origin && /^#token=/i.test(hash)
}

function leavesPage(link: Element): void {
  if (isToken(link.getAttribute("href") ?? "")) {
    link.removeAttribute("href")
    return
  }
  link.setAttribute("target", "_blank")
  link.setAttribute("rel", "noopener noreferrer nofollow")
}

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A" && node.hasAttribute("href")) leavesPage(node)
  // The only input that Markdown makes is the box of a task list, which nobody may press.
  if (node.tagName === "INPUT") {
    if (node.getAttribute("type") !== "checkbox") node.remove()
    else node.setAttribute("disabled", "")
  }
})
