import { celError } from '../engine/eval-error.ts'
import { IpAddress, CelIpRange, parseCelIp, parseCelIpRange } from '../values/ip-address.ts'
import type { FunctionGroup, Handler } from './function.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/** Parses an address. */
export const ip = (text: string): IpAddress => {
  // The address of a client is parsed by each rule, and again for its next request: 20 ns instead of 500.
  const known = recent.get(text)
  if (known) return known
  const address = parseCelIp(text)
  if (!address) throw celError('invalid_ip', 'ip: not an IP address')
  if (recent.size >= mostRecent) recent.delete(recent.keys().next().value as string)
  recent.set(text, address)
  return address
}

const mostRecent = 256
const recent = trackCache('cel_addresses', new Map<string, IpAddress>(), { maxEntries: mostRecent })

/** Parses a range. */
export const cidr = (text: string): CelIpRange => {
  const range = parseCelIpRange(text)
  if (!range) throw celError('invalid_cidr', 'cidr: not an address range')
  return range
}

const within = (...ranges: string[]): ((address: IpAddress) => boolean) => {
  // On first use: most gateways have no such expression, and parsing takes 4 ms of a start.
  let parsed: readonly CelIpRange[] | undefined
  return (address) => (parsed ??= ranges.map(cidr)).some((range) => range.containsIp(address))
}

const isUnspecified = within('0.0.0.0/32', '::/128')
const isLoopback = within('127.0.0.0/8', '::1/128')
const isLinkLocalMulticast = within('224.0.0.0/24', 'ff02::/16')
const isLinkLocalUnicast = within('169.254.0.0/16', 'fe80::/10')
const isMulticast = within('224.0.0.0/4', 'ff00::/8')
const isBroadcast = within('255.255.255.255/32')
const isGlobalUnicast = (address: IpAddress): boolean =>
  ![isUnspecified, isLoopback, isLinkLocalUnicast, isMulticast, isBroadcast].some((test) => test(address))

const predicate = (name: string, description: string, handler: Handler) => ({
  usage: `ip(x).${name}()`,
  description,
  overloads: { [`IP.${name}(): bool`]: handler },
})

/** Functions on addresses. */
export const network: FunctionGroup = {
  title: 'Addresses',
  namespaces: ['ip'],
  functions: [
    {
      usage: 'ip(string)',
      description: 'An IP address. IPv4 within IPv6 is IPv4.',
      overloads: { 'ip(string): IP': ip, 'toText(IP): string': (address: IpAddress) => address.toString() },
    },
    {
      usage: 'ip.isCanonical(string)',
      description:
        'Whether an address is written as `ip` writes it: RFC 5952 for IPv6. Fails for what is none.',
      overloads: {
        'ip.isCanonical(string): bool': (_: unknown, text: string) => ip(text).toString() === text,
      },
    },
    {
      usage: 'isIP(string)',
      description: 'Whether it is an IP address.',
      overloads: { 'isIP(string): bool': (text: string) => parseCelIp(text) !== undefined },
    },
    {
      usage: 'ip(x).family()',
      description: '4 or 6.',
      overloads: { 'IP.family(): int': (address: IpAddress) => BigInt(address.family) },
    },
    predicate('isUnspecified', 'Whether it is `0.0.0.0` or `::`.', isUnspecified),
    predicate('isLoopback', 'Whether it is this machine.', isLoopback),
    predicate('isLinkLocalMulticast', 'Whether it is a multicast address of the link.', isLinkLocalMulticast),
    predicate('isLinkLocalUnicast', 'Whether it is an address of the link.', isLinkLocalUnicast),
    predicate(
      'isGlobalUnicast',
      'Whether it is none of these, no multicast and no broadcast.',
      isGlobalUnicast,
    ),
    {
      usage: 'cidr(string)',
      description: 'A range of addresses, such as `10.0.0.0/8`.',
      overloads: {
        'cidr(string): CIDR': cidr,
        'toText(CIDR): string': (range: CelIpRange) => range.toString(),
      },
    },
    {
      usage: 'isCIDR(string)',
      description: 'Whether it is a range of addresses.',
      overloads: { 'isCIDR(string): bool': (text: string) => parseCelIpRange(text) !== undefined },
    },
    {
      usage: 'cidr(x).containsIP(address)',
      description: 'Whether an address, as string or `ip`, is in the range.',
      overloads: {
        'CIDR.containsIP(string): bool': (range: CelIpRange, address: string) =>
          range.containsIp(ip(address)),
        'CIDR.containsIP(IP): bool': (range: CelIpRange, address: IpAddress) => range.containsIp(address),
      },
    },
    {
      usage: 'cidr(x).containsCIDR(range)',
      description: 'Whether a range, as string or `cidr`, is within the range.',
      overloads: {
        'CIDR.containsCIDR(string): bool': (range: CelIpRange, other: string) =>
          range.containsRange(cidr(other)),
        'CIDR.containsCIDR(CIDR): bool': (range: CelIpRange, other: CelIpRange) => range.containsRange(other),
      },
    },
    {
      usage: 'cidr(x).ip()',
      description: 'The address it was written with.',
      overloads: { 'CIDR.ip(): IP': (range: CelIpRange) => range.address },
    },
    {
      usage: 'cidr(x).masked()',
      description: 'The range, written with its first address.',
      overloads: {
        'CIDR.masked(): CIDR': ({ address, prefixLength }: CelIpRange) =>
          new CelIpRange(address.masked(prefixLength), prefixLength),
      },
    },
    {
      usage: 'cidr(x).prefixLength()',
      description: 'How many bits are fixed.',
      overloads: { 'CIDR.prefixLength(): int': (range: CelIpRange) => BigInt(range.prefixLength) },
    },
  ],
}
