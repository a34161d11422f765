import type { InputPart } from "@factum/facts"
import { type Given, type Refused, reject } from "../decision.ts"

const mostParts = 64
/** A message is what a person says; what is larger is a document. */
export const longestText = 262_144

type Attached = Exclude<InputPart, { kind: "text" }>

/** What of an input may not enter: bytes, paths of this machine, secrets in the open, refs to nothing. */
export function wrongInput(input: readonly InputPart[], given: Given): Refused | undefined {
  if (input.length > mostParts)
    return reject("too_large", `A message has at most ${mostParts} parts.`, { field: "input" })
  for (const [index, part] of input.entries()) {
    const field = `input.${index}`
    const refused =
      part.kind === "text" ? wrongText(part.text, `${field}.text`) : wrongRef(part, `${field}.ref`, given)
    if (refused !== undefined) return refused
  }
  return undefined
}

const upload = "Send the bytes to POST /v1/blobs and refer to them by the ref that it gives."

function wrongText(text: string, field: string): Refused | undefined {
  if (text.length <= longestText) return undefined
  const message = `A text has at most ${longestText} characters; this one has ${text.length}.`
  return reject("too_large", message, { field, fix: upload })
}

function wrongRef({ kind, ref, sensitive }: Attached, field: string, given: Given): Refused | undefined {
  const { uri, digest, media_type } = ref
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(uri)?.[1]?.toLowerCase()
  if (sensitive === true && scheme !== "capability") {
    const fix = "Refer to it by a capability: ref that its owner gave."
    const message = "What is sensitive enters by a capability ref only."
    return reject("not_permitted", message, { field: `${field}.uri`, fix })
  }
  if (scheme === undefined || scheme === "file" || scheme.length === 1) {
    const message = "A path of a machine is no ref: it means something else elsewhere, or nothing."
    return reject("not_permitted", message, { field: `${field}.uri`, fix: upload })
  }
  if (scheme === "data") {
    const message = "A ref names bytes; it does not hold them."
    return reject("invalid_input", message, { field: `${field}.uri`, fix: upload })
  }
  if (!schemes.has(scheme)) {
    const fix = `Use ${[...schemes].map((one) => `${one}:`).join(", ")}.`
    return reject("invalid_input", `A ref cannot begin with ${scheme}:.`, { field: `${field}.uri`, fix })
  }
  const wanted = families[kind]
  if (wanted !== undefined && media_type !== undefined && !media_type.toLowerCase().startsWith(wanted)) {
    const message = `${media_type} is no ${kind}.`
    return reject("invalid_input", message, { field: `${field}.media_type`, fix: `Say what it is.` })
  }
  return scheme === "blob" ? wrongBlob(uri, digest, field, given) : undefined
}

function wrongBlob(
  uri: string,
  digest: string | undefined,
  field: string,
  given: Given,
): Refused | undefined {
  const named = /^blob:(sha256:[0-9a-f]{64})$/.exec(uri)?.[1]
  if (named === undefined || (digest !== undefined && digest !== named)) {
    const message = "A blob is named blob:sha256: and 64 digits, and its digest is the same."
    return reject("invalid_input", message, { field: `${field}.uri` })
  }
  if (given.kept(named)) return undefined
  return reject("not_found", `There is no blob ${named}.`, { field: `${field}.uri`, id: named, fix: upload })
}

/** Of what is not a blob, the model is told that it is there; its owner decides who may read it. */
const schemes: ReadonlySet<string> = new Set(["blob", "artifact", "capability", "business", "https"])
const families: Partial<Record<Attached["kind"], string>> = {
  image: "image/",
  audio: "audio/",
  video: "video/",
}
