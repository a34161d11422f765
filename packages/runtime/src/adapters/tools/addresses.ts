import { lookup } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

const inner = new BlockList()
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  inner.addSubnet(network, prefix, "ipv4")
}
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  inner.addSubnet(network, prefix, "ipv6")
}

/** Whether the address belongs to this machine or its own network; mapped ones count as what they map. */
export function isInner(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  return inner.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4")
}

/** Resolves a name for one connection and refuses inner addresses, so that a name cannot change after the check. */
export const outerLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0)
    const outer = addresses.filter(({ address }) => !isInner(address))
    const [first] = outer
    if (first === undefined)
      return callback(new Error(`${hostname} is an address of the inner network.`), "", 0)
    if (options.all) return callback(null, outer)
    callback(null, first.address, first.family)
  })
}
