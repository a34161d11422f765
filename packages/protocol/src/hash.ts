const [initial, rounds] = constants()
const encoder = new TextEncoder()

/** `sha256:<hex>` of the text's UTF-8 bytes. Synchronous and without the platform, so that folds stay pure. */
export function sha256(text: string): string {
  const bytes = encoder.encode(text)
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000))
  view.setUint32(padded.length - 4, bytes.length << 3)
  const state = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  for (let at = 0; at < padded.length; at += 64) mix(state, words, view, at)
  return `sha256:${[...state].map((word) => word.toString(16).padStart(8, "0")).join("")}`
}

function mix(state: Uint32Array, w: Uint32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] ?? 0
    const y = w[i - 2] ?? 0
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (rounds[i] ?? 0) + (w[i] ?? 0)) | 0
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + value
}

const turn = (x: number, n: number): number => (x >>> n) | (x << (32 - n))

/** The first 32 bits of the fractions of the square and cube roots of the first primes. */
function constants(): [readonly number[], readonly number[]] {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
  const fraction = (x: number): number => Math.floor((x - Math.floor(x)) * 0x100000000)
  return [primes.slice(0, 8).map((p) => fraction(Math.sqrt(p))), primes.map((p) => fraction(Math.cbrt(p)))]
}
