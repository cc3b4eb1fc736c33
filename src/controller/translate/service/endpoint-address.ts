import { BlockList, isIP } from 'node:net'

/**
 * Whether proxies may connect to an address of an endpoint. Whoever may write EndpointSlices could otherwise have the
 * proxy of a Gateway reach itself, its node, or the metadata of a cloud. The API server refuses most of these; not the
 * forms of IPv6 that lead to addresses of IPv4.
 */
export const isEndpointAddress = (address: string): boolean => {
  // Proxies refuse zones.
  const family = address.includes('%') ? 0 : isIP(address)
  return family === 4 ? !special.check(address, 'ipv4') : family === 6 && !special6.check(address, 'ipv6')
}

// Apart: addresses of IPv4 are in the subnet of mapped addresses for a list of both.
const special = new BlockList()
const special6 = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
] as const)
  special.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  // Unspecified, loopback, and the deprecated form with an address of IPv4.
  ['::', 96],
  // Mapped addresses of IPv4.
  ['::ffff:0:0', 96],
  // Translated (NAT64): loopback and link-local.
  ['64:ff9b::7f00:0', 104],
  ['64:ff9b::a9fe:0', 112],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  special6.addSubnet(net, prefix, 'ipv6')
