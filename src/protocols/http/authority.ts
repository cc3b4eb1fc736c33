import { formatIp, parseIp } from '../ip/ip-address.ts'

/** Host and port of an authority, both as written. */
export interface AuthorityParts {
  /** An IPv6 literal keeps its brackets. */
  readonly host: string
  readonly port: string | undefined
}

/** Splits an authority that the listener has parsed before. */
export const splitAuthority = (authority: string): AuthorityParts => {
  const colon = authority.lastIndexOf(':')
  if (colon < 0 || authority.endsWith(']')) return { host: authority, port: undefined }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}

/** A normalised host with an optional port, as rules compare them and upstreams receive them. */
export interface Authority {
  /** Lower case, without a final dot. IPv6 addresses keep their brackets and are in canonical form. */
  readonly host: string
  readonly port: number | undefined
  /** `host`, or `host:port` if a port was given: default ports are neither added nor removed. */
  readonly authority: string
}

/**
 * Parses a Host field, an `:authority`, or the authority of an absolute target.
 *
 * `undefined` for anything but a name of letters, digits, `-`, `_` and single dots, or an IPv4 address, or
 * an IPv6 address in brackets, with a port from 1 to 65535. User information, escapes, empty labels, an
 * empty port, leading zeros in the port and zone identifiers are refused.
 *
 * @example
 * parseAuthority('Example.COM.:8080') // { host: 'example.com', port: 8080, authority: 'example.com:8080' }
 */
export const parseAuthority = (text: string): Authority | undefined => {
  const length = text.length
  // 253 characters is the longest DNS name, plus a final dot, a colon and five digits.
  if (length === 0 || length > 260) return undefined
  if (text.charCodeAt(0) === LEFT_BRACKET) return parseBracketed(text)
  let end = 0
  let upperCase = false
  let afterDot = true
  while (end < length) {
    const kind = characterKinds[text.charCodeAt(end)]
    if (kind === NAME) afterDot = false
    else if (kind === DOT) {
      if (afterDot) return undefined
      afterDot = true
    } else if (kind === UPPER) {
      afterDot = false
      upperCase = true
    } else if (kind === COLON) break
    else return undefined
    end++
  }
  const port = end === length ? undefined : parsePort(text, end + 1)
  if (end === 0 || port === 0) return undefined
  if (!upperCase && !afterDot)
    return { host: port === undefined ? text : text.slice(0, end), port, authority: text }
  return withPort(text.slice(0, afterDot ? end - 1 : end).toLowerCase(), port)
}

/** Whether two authorities are the same address if a missing port means `defaultPort`. */
export const sameAuthority = (a: Authority, b: Authority, defaultPort: number | undefined): boolean =>
  a.host === b.host && (a.port ?? defaultPort) === (b.port ?? defaultPort)

const parseBracketed = (text: string): Authority | undefined => {
  const close = text.indexOf(']')
  const bytes = close < 0 ? undefined : parseIp(text.slice(1, close))
  if (bytes?.length !== 16) return undefined
  const rest = close + 1
  if (rest < text.length && characterKinds[text.charCodeAt(rest)] !== COLON) return undefined
  const port = rest === text.length ? undefined : parsePort(text, rest + 1)
  return port === 0 ? undefined : withPort(`[${formatIp(bytes)}]`, port)
}

const withPort = (host: string, port: number | undefined): Authority => ({
  host,
  port,
  authority: port === undefined ? host : `${host}:${port}`,
})

/** The port from `start` to the end; 0 if it is invalid. */
const parsePort = (text: string, start: number): number => {
  const digits = text.length - start
  if (digits < 1 || digits > 5 || text.charCodeAt(start) === ZERO) return 0
  let port = 0
  for (let i = start; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return 0
    port = port * 10 + digit
  }
  return port > 65535 ? 0 : port
}

const ZERO = 0x30
const LEFT_BRACKET = 0x5b
const NAME = 1
const UPPER = 2
const DOT = 3
const COLON = 4

const characterKinds = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_')
  characterKinds[character.charCodeAt(0)] = NAME
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') characterKinds[character.charCodeAt(0)] = UPPER
characterKinds[0x2e] = DOT
characterKinds[0x3a] = COLON
