import { parseIp } from '../ip/ip-address.ts'
import { parseAuthority } from './authority.ts'
import { isToken, trimBlanks } from './field-syntax.ts'

/** What one proxy said about the hop before it (RFC 7239). */
export interface ForwardedElement {
  /** The client of that proxy: an address with or without port, `unknown`, or a made-up name that begins with `_`. */
  readonly for?: string
  readonly by?: string
  readonly host?: string
  readonly proto?: string
}

/**
 * Reads a Forwarded field; extensions are left out. `undefined` if any part of it is malformed: an element appended to
 * a value with an open quote would be swallowed by it.
 *
 * @example
 * parseForwarded('for="[::1]:80";proto=https, for=10.0.0.1')
 * // [{ for: '[::1]:80', proto: 'https' }, { for: '10.0.0.1' }]
 */
export const parseForwarded = (value: string): ForwardedElement[] | undefined => {
  const parts = splitOutsideQuotes(value, ',')
  if (!parts) return undefined
  const elements: ForwardedElement[] = []
  for (const part of parts) {
    if (trimBlanks(part) === '') continue
    const element = parseElement(part)
    if (!element) return undefined
    elements.push(element)
  }
  return elements
}

/** Writes one element, quoting what is no token. */
export const formatForwarded = (element: ForwardedElement): string =>
  parameters
    .flatMap((name) => {
      const value = element[name]
      return value === undefined ? [] : `${name}=${isToken(value) ? value : quote(value)}`
    })
    .join(';')

/** An IP address as a node of a Forwarded element: IPv6 in brackets. */
export const forwardedNode = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** The IP address in an entry of X-Forwarded-For or `for=`, without brackets and port; `undefined` if there is none. */
export const addressOf = (entry: string): string | undefined => {
  if (parseIp(entry)) return entry
  const host = parseAuthority(entry)?.host ?? ''
  const address = host.startsWith('[') ? host.slice(1, -1) : host
  return parseIp(address) ? address : undefined
}

const parseElement = (text: string): ForwardedElement | undefined => {
  const values = new Map<string, string>()
  for (const part of splitOutsideQuotes(text, ';') ?? []) {
    const pair = trimBlanks(part)
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, equals)).toLowerCase()
    const value = unquote(pair.slice(equals + 1))
    if (!isToken(name) || value === undefined || values.has(name)) return undefined
    values.set(name, value)
  }
  const known = parameters.flatMap((name) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(known) as ForwardedElement
}

const parameters = ['for', 'by', 'host', 'proto'] as const

/** `undefined` if a quote stays open. */
const splitOutsideQuotes = (text: string, separator: string): string[] | undefined => {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') quoted = !quoted
    else if (character === '\\' && quoted) i++
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  if (quoted) return undefined
  parts.push(text.slice(start))
  return parts
}

/**
 * The text of a token or quoted string. IPv6 addresses and ports are taken without quotes as well, which many proxies
 * send although they should not.
 */
const unquote = (text: string): string | undefined => {
  if (!text.startsWith('"')) return isToken(text) || /^[\w.[\]:-]+$/.test(text) ? text : undefined
  if (text.length < 2 || !/^"(?:[^"\\]|\\.)*"$/.test(text)) return undefined
  return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
}

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
