/** A small number for a value of bounded depth: equal values give equal numbers, whatever the order of their fields. */
export function fingerprint(value: unknown): number {
  switch (typeof value) {
    case "string":
      return ofText(value)
    case "number":
      return (value * 2_654_435_761) | 0 || 7
    case "boolean":
      return value ? 11 : 13
    case "object":
      return value === null ? 17 : Array.isArray(value) ? ofList(value) : ofRecord(value)
    default:
      return 19
  }
}

function ofText(text: string): number {
  let hash = text.length | 0
  // A long text is told by its beginning, its end and samples between.
  const stride = text.length <= 512 ? 1 : Math.floor(text.length / 256)
  for (let at = 0; at < text.length; at += stride) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}

function ofList(values: readonly unknown[]): number {
  let hash = values.length + 23
  for (const value of values) hash = (Math.imul(hash, 33) + fingerprint(value)) | 0
  return hash
}

const names = new Map<string, number>()
function ofName(name: string): number {
  const known = names.get(name)
  if (known !== undefined) return known
  const hash = ofText(name)
  if (names.size < 2000) names.set(name, hash)
  return hash
}

function ofRecord(record: object): number {
  let hash = 29
  for (const [name, value] of Object.entries(record)) {
    if (value !== undefined) hash = (hash + Math.imul(ofName(name) | 1, fingerprint(value) + 0x9e37)) | 0
  }
  return hash
}
