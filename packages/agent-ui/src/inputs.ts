const inputKinds = new Set(["text", "image", "audio", "video", "document", "file", "business", "capability"])

/** Why a part of a person's input may not enter: it must be text, or a ref to what others hold. */
export function refuseInput(part: Readonly<Record<string, unknown>>): string | undefined {
  const { kind, ref } = part
  if (typeof kind !== "string" || !inputKinds.has(kind)) return "An input of an unknown kind was refused."
  if (kind === "text") return typeof part.text === "string" ? undefined : "A text input had no text."
  if (typeof ref !== "string" || ref === "") return `An input of kind ${kind} had no ref.`
  if (/^data:/i.test(ref) || ref.length > 1024) return `An input of kind ${kind} brought its bytes.`
  // Where a file lies on somebody's machine is nobody else's business.
  if (/^(?:file:|[/\\~]|[a-z]:[\\/])/i.test(ref)) return `An input of kind ${kind} named a local path.`
  for (const name in part) if (carriesBytes(part[name])) return `An input of kind ${kind} brought its bytes.`
}

function carriesBytes(value: unknown): boolean {
  if (typeof value === "string") return /^data:/i.test(value) || value.length > 4096
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || Array.isArray(value)
}
