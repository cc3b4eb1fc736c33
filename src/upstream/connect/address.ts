import { isIP } from 'node:net'
import type { StaticTarget } from '../../model/resources/resources.ts'
import type { DialAddress } from './dial.ts'

/** Whether a host is an IP address, which needs no DNS lookup. Brackets around IPv6 are allowed. */
export const isAddress = (host: string): boolean => isIP(withoutBrackets(host)) !== 0

/** The address of a target; a name stays a name. */
export const addressOf = (target: StaticTarget): DialAddress => {
  if ('unix' in target) return { unix: target.unix }
  const { host, port } = target
  return isAddress(host) ? { ip: withoutBrackets(host), port } : { host, port }
}

/**
 * The authority of requests to a target: `name`, or `name:port` if it is not the default port. Undefined for addresses
 * and unix sockets, which have no name.
 */
export const authorityOf = (target: StaticTarget, tls: boolean): string | undefined => {
  if ('unix' in target || isAddress(target.host)) return undefined
  return target.port === (tls ? 443 : 80) ? target.host : `${target.host}:${target.port}`
}

const withoutBrackets = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)
