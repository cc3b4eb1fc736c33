import type { DynamicAllow } from '../../model/resources/dynamic-backend.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Authority } from '../../protocols/http/authority.ts'
import { formatIp, parseIp } from '../../protocols/ip/ip-address.ts'
import { parseIpRange } from '../../protocols/ip/ip-range.ts'
import { isReachable } from './special-purpose-addresses.ts'

/** What callers may reach, compiled. */
export interface Permission {
  /** Whether the name and the port are allowed; addresses are checked apart. */
  names(authority: Authority, port: number): boolean
  /** Whether an address may be connected to. */
  reaches(ip: string): boolean
}

/** Compiles the list of what callers may reach. Everything that is not listed is refused. */
export const permission = ({ hosts, ports, privateRanges }: DynamicAllow): Permission => {
  const exact = new Set(hosts.map(canonicalHost))
  const suffixes = hosts.filter((host) => host.startsWith('*.')).map((host) => canonicalHost(host.slice(1)))
  const any = hosts.includes('*')
  const ranges = privateRanges.flatMap((text) => parseIpRange(text) ?? [])
  return {
    names({ host }, port) {
      if (ports.length && !ports.includes(port)) return false
      const name = host.startsWith('[') ? host.slice(1, -1) : host
      if (isDisguisedAddress(name)) return false
      return any || exact.has(name) || (!parseIp(name) && suffixes.some((suffix) => name.endsWith(suffix)))
    },
    reaches(ip) {
      const address = parseIp(ip)
      return address !== undefined && isReachable(address, ranges)
    },
  }
}

/** The fault of a destination that callers may not name. It does not reveal the rule. */
export const refusedDestination = (why: string): Fault =>
  new Fault('dynamic_backend_refused', 'the requested destination is not allowed', {
    status: 403,
    reason: 'Authorization',
    cause: why,
  })

const canonicalHost = (host: string): string => {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  const address = parseIp(bare)
  return address ? formatIp(address) : bare.toLowerCase().replace(/\.$/, '')
}

/**
 * Names that system resolvers read as numbers: `2130706433`, `0x7f.1`, `0177.0.0.1`. They are neither names nor
 * addresses in canonical form, and are parsed differently by different software.
 */
const isDisguisedAddress = (name: string): boolean => !parseIp(name) && /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(name)
