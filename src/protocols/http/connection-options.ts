import { fieldName } from './field-name.ts'
import { parseTokenList } from './field-syntax.ts'

/** A parsed Connection field. */
export interface ConnectionOptions {
  /** The options in lower case, in the order given. */
  readonly options: readonly string[]
  /**
   * Options that name fields which are not hop-by-hop by themselves, and so must be removed explicitly;
   * usually none.
   */
  readonly fields: readonly string[]
}

/** No Connection field. */
export const noConnectionOptions: ConnectionOptions = Object.freeze({ options: [], fields: [] })

/** Parses a Connection field and adds it to those before; `undefined` if it is not a list of tokens. */
export const addConnectionOptions = (
  before: ConnectionOptions,
  value: string,
): ConnectionOptions | undefined => {
  if (before === noConnectionOptions) {
    const usual = usualOptions.get(value)
    if (usual) return usual
  }
  const options = parseTokenList(value)
  if (!options) return undefined
  return {
    options: [...before.options, ...options],
    fields: [...before.fields, ...options.filter(isFieldToRemove)],
  }
}

/**
 * Whether a field is meant for the final recipient, so that no Connection option may remove it (RFC 9110
 * section 7.6.1): a client could otherwise use this gateway to strip fields that a proxy in front added,
 * such as the client's address or identity, or to remove the host or the length of a message.
 */
export const isProtectedField = (name: string): boolean =>
  protectedFields.has(name) || protectedPrefixes.some((prefix) => name.startsWith(prefix))

/** The headers without the fields named, as a new flat array. */
export const withoutFields = (headers: readonly string[], names: readonly string[]): string[] => {
  const left: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? ''
    if (!names.includes(name)) left.push(name, headers[i + 1] ?? '')
  }
  return left
}

const isFieldToRemove = (option: string): boolean => {
  if (option === 'close' || option === 'keep-alive') return false
  const kind = fieldName(option)?.kind
  return kind === 'end-to-end' || kind === 'host' || kind === 'content-length' || kind === 'cookie'
}

const usualOptions = new Map(
  ['keep-alive', 'Keep-Alive', 'close', 'Upgrade', 'upgrade', 'keep-alive, Upgrade', 'TE', 'TE, close'].map(
    (value) => [
      value,
      Object.freeze({ options: parseTokenList(value) ?? [], fields: [] }) as ConnectionOptions,
    ],
  ),
)

const protectedPrefixes = ['x-forwarded-', 'x-auth-', 'sec-']
const protectedFields = new Set([
  'authorization',
  'cache-control',
  'cdn-loop',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'location',
  'origin',
  'proxy-authorization',
  'set-cookie',
  'traceparent',
  'tracestate',
  'via',
  'www-authenticate',
  'x-api-key',
  'x-client-cert',
  'x-client-ip',
  'x-real-ip',
  'x-request-id',
])
