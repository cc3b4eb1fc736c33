import { type Authority, parseAuthority, sameAuthority } from './authority.ts'
import { type FieldName, fieldName } from './field-name.ts'
import { isFieldValue, isToken } from './field-syntax.ts'
import { HeadDraft } from './head-builder.ts'
import { type HeadRefusal, headRefusals } from './head-error.ts'
import { type PathRules, defaultPathRules } from './path-rules.ts'
import { normalizeTarget } from './path.ts'
import type { RequestHead } from './request-head.ts'

/**
 * The equivalent of `readRequestHead` for HTTP/2: checks the rules of RFC 9113 section 8 for a request head
 * and prepares it for forwarding in any version. `:authority` becomes the `host` field, cookies that were
 * split for compression are joined again.
 *
 * Refused are missing, repeated, misplaced and unknown pseudo-headers, names in upper case,
 * connection-specific fields, a Host that disagrees with `:authority`, and a method in lower case: HTTP/1
 * has none, and upstreams might read `get` as GET after rules for GET did not apply. Never throws. A refusal
 * ends the stream, not the connection.
 *
 * @param rawHeaders names and values alternating in wire order, as the `stream` event gives them
 * @param endStream whether the head ends the message (`stream.endAfterHeaders`)
 */
export const readH2RequestHead = (
  rawHeaders: readonly string[],
  endStream: boolean,
  rules: PathRules = defaultPathRules,
): RequestHead | HeadRefusal => {
  const pseudo = readPseudoHeaders(rawHeaders)
  if ('refused' in pseudo) return pseudo
  const head = new HeadDraft(pseudo.method)
  // The bytes after a CONNECT are a tunnel, not a body.
  head.hasBody = !endStream && pseudo.method !== 'CONNECT'
  const refusal = takePseudoHeaders(head, pseudo, rules) ?? takeFields(head, rawHeaders, pseudo.count)
  if (refusal) return refusal
  if (!head.named) return headRefusals.missing_host
  if (endStream && (head.contentLength ?? 0) > 0) return headRefusals.content_length_mismatch
  if (pseudo.method === 'CONNECT' && head.contentLength !== undefined) return headRefusals.body_not_allowed
  head.expectsContinue &&= head.hasBody
  return head
}

interface PseudoHeaders {
  method: string
  scheme: string | undefined
  authority: string | undefined
  path: string | undefined
  protocol: string | undefined
  /** The number of elements of the flat array that they use. */
  count: number
}

const readPseudoHeaders = (rawHeaders: readonly string[]): PseudoHeaders | HeadRefusal => {
  let method: string | undefined
  let scheme: string | undefined
  let authority: string | undefined
  let path: string | undefined
  let protocol: string | undefined
  let count = 0
  for (; rawHeaders[count]?.charCodeAt(0) === COLON; count += 2) {
    const value = rawHeaders[count + 1] ?? ''
    switch (rawHeaders[count]) {
      case ':method':
        if (method !== undefined) return headRefusals.malformed_pseudo_header
        method = value
        break
      case ':scheme':
        if (scheme !== undefined) return headRefusals.malformed_pseudo_header
        scheme = value
        break
      case ':authority':
        if (authority !== undefined) return headRefusals.malformed_pseudo_header
        authority = value
        break
      case ':path':
        if (path !== undefined) return headRefusals.malformed_pseudo_header
        path = value
        break
      case ':protocol':
        if (protocol !== undefined) return headRefusals.malformed_pseudo_header
        protocol = value
        break
      default:
        return headRefusals.malformed_pseudo_header
    }
  }
  if (method === undefined || !isToken(method)) return headRefusals.malformed_pseudo_header
  if (method !== method.toUpperCase()) return headRefusals.unsupported_method
  return { method, scheme, authority, path, protocol, count }
}

const takePseudoHeaders = (
  head: HeadDraft,
  pseudo: PseudoHeaders,
  rules: PathRules,
): HeadRefusal | undefined => {
  const { scheme, path, protocol } = pseudo
  if (pseudo.authority !== undefined) {
    const authority = parseAuthority(pseudo.authority)
    if (!authority) return headRefusals.malformed_host
    head.setAuthority(authority)
    head.headers.push('host', authority.authority)
  }
  const connect = head.method === 'CONNECT'
  if (protocol !== undefined) {
    if (!connect || !isToken(protocol) || !head.named) return headRefusals.malformed_pseudo_header
    head.protocol = protocol.toLowerCase()
  } else if (connect) {
    if (scheme !== undefined || path !== undefined) return headRefusals.malformed_pseudo_header
    if (head.port === undefined)
      return headRefusals[head.named ? 'malformed_target' : 'malformed_pseudo_header']
    head.target = head.authority
    return undefined
  }
  if (scheme !== 'http' && scheme !== 'https') return headRefusals.malformed_pseudo_header
  head.scheme = scheme
  if (path === undefined || path === '') return headRefusals.malformed_pseudo_header
  if (path === '*') {
    if (head.method !== 'OPTIONS') return headRefusals.target_form_not_allowed
    head.setTarget('*', '*', '')
    return undefined
  }
  const normal = normalizeTarget(path, rules)
  if (typeof normal === 'string') return headRefusals[normal]
  head.setTarget(normal.target, normal.path, normal.query)
  return undefined
}

const takeFields = (
  head: HeadDraft,
  rawHeaders: readonly string[],
  start: number,
): HeadRefusal | undefined => {
  const headers = head.headers
  let cookieAt = 0
  let hosts = 0
  for (let i = start; i + 1 < rawHeaders.length; i += 2) {
    const text = rawHeaders[i] ?? ''
    const value = rawHeaders[i + 1] ?? ''
    if (text.charCodeAt(0) === COLON) return headRefusals.malformed_pseudo_header
    const field = fieldName(text)
    if (field?.name !== text) return headRefusals.malformed_field_name
    if (!isFieldValue(value) || hasOuterBlank(value)) return headRefusals.malformed_field_value
    if (field.kind === 'end-to-end') headers.push(text, value)
    else if (field.kind === 'cookie' && cookieAt > 0)
      headers[cookieAt] = `${headers[cookieAt] ?? ''}; ${value}`
    else {
      if (field.kind === 'host' && ++hosts > 1) return headRefusals.several_hosts
      const refusal = takeSpecial(head, field, value)
      if (refusal) return refusal
      if (field.kind === 'cookie') cookieAt = headers.length - 1
    }
  }
  return undefined
}

const takeSpecial = (head: HeadDraft, field: FieldName, value: string): HeadRefusal | undefined => {
  switch (field.kind) {
    case 'connection':
    case 'transfer-encoding':
    case 'upgrade':
      return headRefusals.connection_specific_field
    case 'hop-by-hop':
      return field.name === 'keep-alive' || field.name === 'proxy-connection'
        ? headRefusals.connection_specific_field
        : undefined
    case 'te':
      if (value.toLowerCase() !== 'trailers') return headRefusals.connection_specific_field
      break
    case 'host':
      if (head.named) return checkHost(head, head.named, value)
      break
    default:
  }
  return head.takeSpecial(field, value)
}

/** `host` beside `:authority` must be equal to it; alone it replaces it. */
const checkHost = (head: HeadDraft, named: Authority, value: string): HeadRefusal | undefined => {
  const host = parseAuthority(value)
  if (!host) return headRefusals.malformed_host
  const defaultPort = head.scheme === 'https' ? 443 : 80
  return sameAuthority(named, host, defaultPort) ? undefined : headRefusals.host_mismatch
}

/** HTTP/2 has no optional blanks around a value (RFC 9113 section 8.2.1); HTTP/1 would drop them. */
const hasOuterBlank = (value: string): boolean => {
  const first = value.charCodeAt(0)
  const last = value.charCodeAt(value.length - 1)
  return first === 0x20 || first === 0x09 || last === 0x20 || last === 0x09
}

const COLON = 0x3a
