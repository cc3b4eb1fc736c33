import { isIP } from 'node:net'
import type { StaticTarget } from '../model/resources.ts'
import type { Place } from './dial.ts'

/** Whether a host is an address, so that no name service has to be asked. Brackets around IPv6 are allowed. */
export const isAddress = (host: string): boolean => isIP(withoutBrackets(host)) !== 0

/** Where a target is; by its name, if it has one. */
export const placeOf = (target: StaticTarget): Place => {
  if ('unix' in target) return { unix: target.unix }
  const { host, port } = target
  return isAddress(host) ? { ip: withoutBrackets(host), port } : { host, port }
}

/**
 * What an upstream with a name is called in requests: `name`, or `name:port` if it is not the port everybody expects.
 * Undefined for addresses and unix sockets, which have no name.
 */
export const authorityOf = (target: StaticTarget, tls: boolean): string | undefined => {
  if ('unix' in target || isAddress(target.host)) return undefined
  return target.port === (tls ? 443 : 80) ? target.host : `${target.host}:${target.port}`
}

const withoutBrackets = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host)
