import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

/** A certificate that signs itself, for these names and addresses; valid for a day. */
export function selfSigned(names: readonly string[]): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const algorithm = sequence(oid(1, 2, 840, 10045, 4, 3, 2))
  const subject = sequence(der(0x31, sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from("factum test")))))
  const [yesterday, tomorrow] = [-1, 1].map((days) => time(Date.now() + days * 86_400_000))
  const alternatives = sequence(...names.map(alternative))
  const extensions = sequence(
    sequence(oid(2, 5, 29, 17), der(0x04, alternatives)),
    // It is its own authority.
    sequence(
      oid(2, 5, 29, 19),
      der(0x01, Buffer.from([0xff])),
      der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
    ),
  )
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    subject,
    sequence(yesterday ?? empty, tomorrow ?? empty),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey))
  return {
    cert: pem("CERTIFICATE", sequence(body, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  }
}

const empty = Buffer.alloc(0)

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const base128 = (value: number): number[] =>
  value < 128 ? [value] : [...base128(value >> 7).map((byte) => byte | 0x80), value & 0x7f]

/** UTCTime: YYMMDDhhmmssZ. */
const time = (at: number): Buffer =>
  der(
    0x17,
    Buffer.from(
      `${new Date(at)
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, "")
        .slice(2)}`,
    ),
  )

const alternative = (name: string): Buffer =>
  /^\d+\.\d+\.\d+\.\d+$/.test(name)
    ? der(0x87, Buffer.from(name.split(".").map(Number)))
    : der(0x82, Buffer.from(name))

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`
