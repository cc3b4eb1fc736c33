import { isIP } from 'node:net'
import type { FormatCheck } from './format-check.ts'

/** A TCP destination. */
export interface HostPort {
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
}

/**
 * Parses `host:port` and `[ipv6]:port`.
 *
 * @example
 * parseHostPort('[::1]:8080') // { host: '::1', port: 8080 }
 */
export function parseHostPort(text: string): HostPort | undefined {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  if (parts === null) return undefined
  const [, bracketed, name, digits] = parts
  const port = Number(digits)
  if (port > 65535) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined
  return name !== undefined && isHost(name) ? { host: name, port } : undefined
}

/** Whether a text is an IP address or could be a DNS name. */
function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true
  // All digits and dots is a malformed address, not a name.
  return text.length <= 253 && !/^[\d.]+$/.test(text) && NAME.test(text)
}

/** Whether a text is an IP address with a prefix length. */
function isCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || prefix === undefined || rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return false
  return Number(prefix) <= (family === 4 ? 32 : 128)
}

/** `host:port`, with a port that can be dialled. */
export const hostPort: FormatCheck = (text) => {
  const parsed = parseHostPort(text)
  if (parsed !== undefined && parsed.port > 0) return undefined
  return complaint(text, 'must be host:port')
}

/** `host:port` or `unix:/path`. */
export const staticTargetFormat: FormatCheck = (text) =>
  isUnix(text) ? undefined : hostPort(text) && complaint(text, 'must be host:port or unix:/path')

/** The listen address of a server of the process: `ip:port`, `localhost:port`, `unix:/path` or `off`. */
export const serverAddressFormat: FormatCheck = (text) => {
  if (text === 'off' || isUnix(text)) return undefined
  const parsed = parseHostPort(text)
  if (parsed !== undefined && (isIP(parsed.host) !== 0 || parsed.host === 'localhost')) return undefined
  const bare = /^:?\d{1,5}$/.test(text) ? { hint: `did you mean "127.0.0.1:${text.replace(':', '')}"?` } : {}
  return { expectation: 'must be ip:port, localhost:port, unix:/path or off', ...bare }
}

/** The listen address of a gateway: an IP address or `unix:/path`. */
export const listenAddress: FormatCheck = (text) => {
  if (isIP(text) !== 0 || isUnix(text)) return undefined
  const parsed = parseHostPort(text)
  if (parsed !== undefined) {
    return {
      expectation: 'must be an IP address or unix:/path, without a port',
      hint: 'set "port" beside it',
    }
  }
  return { expectation: 'must be an IP address or unix:/path' }
}

/** An address range. */
export const cidrFormat: FormatCheck = (text) =>
  isCidr(text)
    ? undefined
    : {
        expectation: 'must be an address range such as 10.0.0.0/8',
        ...(isIP(text) === 0 ? {} : { hint: `did you mean "${text}/${isIP(text) === 4 ? '32' : '128'}"?` }),
      }

/** An IP address, without brackets. */
export const ipFormat: FormatCheck = (text) =>
  isIP(text) === 0 ? { expectation: 'must be an IP address' } : undefined

/** A host name, `*.suffix`, or `*` for every host. */
export const hostnamePattern: FormatCheck = (text) => {
  const name = text.startsWith('*.') ? text.slice(2) : text
  if (text === '*' || isHost(name.replace(/\.$/, ''))) return undefined
  const port = /^(.+):\d+$/.exec(text)?.[1]
  return {
    expectation: 'must be a host name, "*.suffix" or "*"',
    ...(port === undefined
      ? {}
      : { hint: `did you mean "${port}"? Host names are matched without the port` }),
  }
}

/** A host with or without a port, as in the `Host` header. */
export const authority: FormatCheck = (text) =>
  (isHost(text) && isIP(text) !== 6) ||
  parseHostPort(text) !== undefined ||
  (/^\[.+\]$/.test(text) && isIP(text.slice(1, -1)) === 6)
    ? undefined
    : { expectation: 'must be a host, or host:port' }

/** A host name or IP address, without a port. */
export const host: FormatCheck = (text) =>
  isHost(text) ? undefined : { expectation: 'must be a host name or IP address' }

/** A CORS origin: `*`, or `scheme://host[:port]` whose host may begin with `*.`. */
export const originPatternFormat: FormatCheck = (text) => {
  if (text === '*' || text === 'null' || ORIGIN.test(text)) return undefined
  const slash = ORIGIN.test(text.replace(/\/+$/, ''))
  return {
    expectation: 'must be "*" or scheme://host[:port], where the host may begin with "*."',
    ...(slash ? { hint: `did you mean "${text.replace(/\/+$/, '')}"?` } : {}),
  }
}

/** `namespace/hostname`. */
export const serviceNameFormat: FormatCheck = (text) =>
  /^[^/\s]*\/[^/\s]+$/.test(text) ? undefined : { expectation: 'must be namespace/hostname' }

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`)
const ORIGIN =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

function isUnix(text: string): boolean {
  return /^unix:\/./.test(text)
}

function complaint(text: string, expectation: string): { expectation: string; hint?: string } {
  const url = /^(https?):\/\/([^/@]+)\/?$/.exec(text)
  const [, scheme, rest = ''] = url ?? []
  const target = /:\d+$/.test(rest) ? rest : `${rest}:${scheme === 'https' ? '443' : '80'}`
  if (url !== null && parseHostPort(target) !== undefined) {
    const tls = scheme === 'https' ? ' with the policy backendTLS: {}' : ''
    return { expectation, hint: `did you mean "${target}"${tls}?` }
  }
  if (isHost(text)) return { expectation, hint: `the port is missing, as in "${text}:80"` }
  return { expectation }
}
