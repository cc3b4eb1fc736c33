import type { CredentialField } from '../../../model/policies/credential-location.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { readCredentials } from '../../credentials/credential-source.ts'
import { isKeyField } from '../request/client-credentials.ts'
import { queryKeysIn } from '../request/query-keys.ts'

/** Where the request to a provider has credentials. */
export interface CredentialLocations {
  /** All usual locations of keys: none of them is the client's. */
  readonly isAllOwn: boolean
  /** Further locations from the configuration. */
  readonly more: readonly CredentialField[]
}

/**
 * The raw text of all credential locations in the request: the same text means the same credentials. Empty if there
 * are none. A look-up by this text takes a fifth of the time of reading the credentials.
 */
export const rawCredentials = (x: Exchange, { isAllOwn, more }: CredentialLocations): string => {
  const { headers, query } = x.request
  const { raw } = headers
  let written = ''
  if (isAllOwn)
    for (let i = 0; i < raw.length; i += 2)
      if (isKnownKeyField(raw[i] as string)) written += `${raw[i + 1] as string}\n`
  for (const location of more)
    if (location.kind !== 'queryParameter')
      written += `${headers.get(location.kind === 'cookie' ? 'cookie' : location.name) ?? ''}\n`
  const isInQuery = query !== '' && (isAllOwn || more.some(({ kind }) => kind === 'queryParameter'))
  return isInQuery ? written + query : written
}

/** A cache: field names are few, and repeat. */
const isKnownKeyField = (name: string): boolean => {
  let is = cache.get(name)
  if (is === undefined) {
    if (cache.size >= CACHE_LIMIT) cache.clear()
    cache.set(name, (is = isKeyField(name)))
  }
  return is
}

const cache = new Map<string, boolean>()
const CACHE_LIMIT = 1_000

/**
 * The credentials that the gateway has put into a request, without their scheme; without those too short to be a
 * secret.
 */
export const sentCredentials = (x: Exchange, { isAllOwn, more }: CredentialLocations): readonly string[] => {
  const found: string[] = []
  const { headers, query } = x.request
  if (isAllOwn) {
    const { raw } = headers
    for (let i = 0; i < raw.length; i += 2)
      if (isKeyField(raw[i] as string)) addField(found, raw[i + 1] as string)
    if (query.length > 1) found.push(...queryKeysIn(query))
  }
  for (const location of more) found.push(...readCredentials(location, x))
  return found.filter(isSecret)
}

const addField = (found: string[], value: string): void => {
  if (value.startsWith('AWS4-')) {
    // The signature is valid for this request only.
    const [, id] = /Credential=([^/,\s]+)/.exec(value) ?? []
    if (id !== undefined) found.push(id)
    return
  }
  const space = value.indexOf(' ')
  const token = space < 0 ? value : value.slice(space + 1).trim()
  found.push(token)
  if (space !== 5 || value.slice(0, 5).toLowerCase() !== 'basic') return
  const pair = Buffer.from(token, 'base64').toString()
  const colon = pair.indexOf(':')
  found.push(pair, pair.slice(colon + 1))
}

/** Placeholders for servers without keys occur in many responses. */
const isSecret = (text: string): boolean => text.length >= LEAST_LENGTH && !placeholders.has(text)

const LEAST_LENGTH = 8
const placeholders: ReadonlySet<string> = new Set([
  ...[
    'lm-studio',
    'not-needed',
    'no-key-required',
    'sk-no-key-required',
    'not-required',
    'anything',
    'dummy-key',
  ],
])
