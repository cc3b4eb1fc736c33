import { isToken } from './field-syntax.ts'

/** How a proxy treats a field. `end-to-end` is forwarded unchanged; each other kind has a rule of its own. */
export type FieldKind =
  | 'end-to-end'
  | 'host'
  | 'content-length'
  | 'transfer-encoding'
  | 'connection'
  | 'te'
  | 'trailer'
  | 'upgrade'
  | 'expect'
  | 'cookie'
  | 'hop-by-hop'
  | 'confusable'

/** A field name in lower case, and its kind. */
export interface FieldName {
  readonly name: string
  readonly kind: FieldKind
}

/**
 * Classifies a field name in any case; `undefined` if it is not a token.
 *
 * Usual spellings are in a hash table of our own: 10 ns each, where `toLowerCase` and a `Map` took 35.
 */
export const fieldName = (text: string): FieldName | undefined => {
  const length = text.length
  if (length === 0) return undefined
  let entry =
    slots[slotOf(length, text.charCodeAt(0), text.charCodeAt(length >> 1), text.charCodeAt(length - 1))]
  while (entry !== undefined) {
    if (entry.text === text) return entry.field
    entry = entry.next
  }
  return unusualName(text)
}

/** As `fieldName`, for bytes: usual names create no string. */
export const fieldNameOfBytes = (bytes: Buffer): FieldName | undefined => {
  const length = bytes.length
  if (length === 0) return undefined
  let entry = slots[slotOf(length, bytes[0] ?? 0, bytes[length >> 1] ?? 0, bytes[length - 1] ?? 0)]
  while (entry !== undefined) {
    if (spells(bytes, entry.text)) return entry.field
    entry = entry.next
  }
  return unusualName(bytes.toString('latin1'))
}

interface Spelling {
  readonly text: string
  readonly field: FieldName
  readonly next: Spelling | undefined
}

const slotOf = (length: number, first: number, middle: number, last: number): number =>
  (length * 67 + first * 5 + middle * 19 + last * 31) & 511

const spells = (bytes: Buffer, text: string): boolean => {
  if (bytes.length !== text.length) return false
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false
  return true
}

const unusualName = (text: string): FieldName | undefined => {
  if (!isToken(text)) return undefined
  const name = text.toLowerCase()
  // Special names are recognised in any spelling, such as `HOST` or `tRAILER`.
  return special.get(name) ?? { name, kind: 'end-to-end' }
}

const kinds: Readonly<Record<string, FieldKind>> = {
  host: 'host',
  'content-length': 'content-length',
  'transfer-encoding': 'transfer-encoding',
  connection: 'connection',
  te: 'te',
  trailer: 'trailer',
  upgrade: 'upgrade',
  expect: 'expect',
  cookie: 'cookie',
  'keep-alive': 'hop-by-hop',
  'proxy-connection': 'hop-by-hop',
  'proxy-authenticate': 'hop-by-hop',
  'http2-settings': 'hop-by-hop',
  // CGI servers read `_` as `-`, so hop-by-hop fields end here in that spelling, too.
  keep_alive: 'hop-by-hop',
  proxy_connection: 'hop-by-hop',
  proxy_authenticate: 'hop-by-hop',
  http2_settings: 'hop-by-hop',
  // CGI servers take these for a second framing field.
  content_length: 'confusable',
  transfer_encoding: 'confusable',
}
const special = new Map<string, FieldName>()

/** The names in the table: those of browsers, SDKs, proxies and servers. */
const usualNames = `accept accept-charset accept-encoding accept-language accept-patch accept-ranges
  access-control-allow-credentials access-control-allow-headers access-control-allow-methods
  access-control-allow-origin access-control-expose-headers access-control-max-age
  access-control-request-headers access-control-request-method age allow alt-svc anthropic-beta
  anthropic-version api-key authorization baggage cache-control content-disposition content-encoding
  content-language content-location content-range content-security-policy content-type
  cross-origin-opener-policy cross-origin-resource-policy date dnt etag expires forwarded from
  grpc-accept-encoding grpc-encoding grpc-message grpc-status grpc-timeout if-match if-modified-since
  if-none-match if-range if-unmodified-since last-event-id last-modified link location max-forwards
  mcp-protocol-version mcp-session-id nel openai-organization openai-project origin permissions-policy
  pragma priority proxy-authorization purpose range referer referrer-policy report-to retry-after
  sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site
  sec-fetch-user sec-websocket-accept sec-websocket-extensions sec-websocket-key sec-websocket-protocol
  sec-websocket-version server server-timing set-cookie strict-transport-security traceparent tracestate
  upgrade-insecure-requests user-agent vary via www-authenticate x-api-key x-cache x-content-type-options
  x-correlation-id x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto x-frame-options
  x-goog-api-key x-powered-by x-real-ip x-request-id x-requested-with x-xss-protection`

const slots = new Array<Spelling | undefined>(512).fill(undefined)

const addSpelling = (text: string, field: FieldName): void => {
  const slot = slotOf(
    text.length,
    text.charCodeAt(0),
    text.charCodeAt(text.length >> 1),
    text.charCodeAt(text.length - 1),
  )
  slots[slot] = { text, field, next: slots[slot] }
}

const unusualCapitals: Readonly<Record<string, string>> = { te: 'TE', etag: 'ETag', dnt: 'DNT', nel: 'NEL' }

const addName = (name: string, kind: FieldKind): void => {
  const field = { name, kind }
  if (kind !== 'end-to-end') special.set(name, field)
  addSpelling(name, field)
  addSpelling(
    unusualCapitals[name] ?? name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()),
    field,
  )
}

for (const name of usualNames.split(/\s+/)) addName(name, 'end-to-end')
for (const [name, kind] of Object.entries(kinds)) addName(name, kind)
