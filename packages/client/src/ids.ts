const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A sortable id in the form of `@factum/facts`, without its schemas in the bundle. */
export function newId(prefix: string, now = Date.now(), random = randomBytes()): string {
  let time = ""
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time
  }
  return `${prefix}_${time}${Array.from(random, (byte) => alphabet.charAt(byte % 32)).join("")}`
}

const randomBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16))
