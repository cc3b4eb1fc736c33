import type { CredentialField } from '../../model/policies/credential-location.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Request } from '../../model/exchange/request.ts'

/** A compiled location of a credential. Credentials found by expressions cannot be removed. */
export type CredentialSource =
  | CredentialField
  | { readonly kind: 'expression'; readonly expression: Evaluate }
  /** Any of them. */
  | {
      readonly kind: 'several'
      readonly sources: readonly CredentialSource[]
      /** If the first location has a credential, the others are ignored. */
      readonly isFirstAlone?: boolean
    }

/**
 * Every credential at this location, as the client sent it and without its prefix. With more than one, it would be
 * ambiguous which one counts, here and upstream: policies refuse that. The same one at several locations counts once.
 */
export const readCredentials = (source: CredentialSource, x: Exchange): readonly string[] => {
  switch (source.kind) {
    case 'header':
      return headerValues(x.request, source.name, source.prefix)
    case 'queryParameter':
      return queryValues(x.request, source.name)
    case 'cookie':
      return cookieValues(x.request, source.name)
    case 'expression': {
      const result = source.expression(x)
      return 'value' in result && typeof result.value === 'string' && result.value ? [result.value] : []
    }
    case 'several':
      return merged(
        source.sources.map((one) => readCredentials(one, x)),
        source.isFirstAlone,
      )
  }
}

/** The credentials of several locations. Several at one location stay ambiguous, whatever the others have. */
export const merged = (lists: readonly (readonly string[])[], isFirstAlone = false): readonly string[] => {
  const [first] = lists
  if (isFirstAlone && first?.length) return first
  return lists.find((list) => list.length > 1) ?? [...new Set(lists.flat())]
}

/** The expressions of a location. */
export const expressionsIn = (source: CredentialSource): readonly Evaluate[] => {
  if (source.kind === 'several') return source.sources.flatMap(expressionsIn)
  return source.kind === 'expression' ? [source.expression] : []
}

/**
 * Redacts the credentials of a request in logs and traces where their names do not identify them: valid ones are
 * about to be removed, but traces begin earlier, and wrong ones are often nearly right.
 */
export const redactSourceCredentials = (
  source: CredentialSource,
  x: Exchange,
  credentials: readonly string[],
): void => {
  if (isKnownByName(source)) return
  if (source.kind === 'several') {
    for (const one of source.sources) redactSourceCredentials(one, x, readCredentials(one, x))
    return
  }
  const shown = new Set(credentials)
  // Encoded as well: this form is logged.
  if (source.kind === 'queryParameter')
    for (const part of parametersOf(x.request.query))
      if (isParameter(part, source.name)) shown.add(part.slice(part.indexOf('=') + 1))
  for (const credential of [...shown].slice(0, MAX_SECRETS)) x.policy.addSecret(credential)
}

/** Each is searched for in all logged text. Clients that send more of them send no valid ones. */
const MAX_SECRETS = 8

/** Whether a location always contains credentials. */
export const isKnownByName = (source: CredentialSource): boolean => {
  if (source.kind === 'several') return source.sources.every(isKnownByName)
  return (
    source.kind === 'header' && (source.name === 'authorization' || source.name === 'proxy-authorization')
  )
}

/** Removes the credential from the request, and keeps everything else unchanged. */
export const removeCredential = (source: CredentialSource, x: Exchange): void => {
  const { request } = x
  if (source.kind === 'several') for (const one of source.sources) removeCredential(one, x)
  else if (source.kind === 'header') request.headers.delete(source.name)
  else if (source.kind === 'queryParameter') request.query = queryWithout(request.query, source.name)
  else if (source.kind === 'cookie') removeCookie(request, source.name)
}

/**
 * Puts a credential into the request, replacing any that is there.
 *
 * @param credential For a header, text that a field value can contain.
 */
export const putCredential = (location: CredentialField, { request }: Exchange, credential: string): void => {
  switch (location.kind) {
    case 'header':
      request.headers.set(location.name, (location.prefix ?? '') + credential)
      return
    case 'queryParameter': {
      const rest = queryWithout(request.query, location.name)
      const parameter = `${encodeURIComponent(location.name)}=${encodeURIComponent(credential)}`
      request.query = `${rest || '?'}${rest.length > 1 ? '&' : ''}${parameter}`
      return
    }
    case 'cookie': {
      removeCookie(request, location.name)
      const others = request.headers.get('cookie')
      const pair = `${location.name}=${credential}`
      request.headers.set('cookie', others ? `${others}; ${pair}` : pair)
    }
  }
}

const none: readonly string[] = []

const headerValues = ({ headers }: Request, name: string, prefix: string | undefined): readonly string[] => {
  if (!headers.has(name)) return none
  const values = headers.all(name)
  if (!prefix) return values.filter((value) => value !== '')
  const start = prefix.toLowerCase()
  return values
    .filter((value) => value.length > start.length && value.slice(0, start.length).toLowerCase() === start)
    .map((value) => value.slice(start.length).trimStart())
}

const queryValues = ({ query }: Request, name: string): readonly string[] =>
  query.length > 1 ? new URLSearchParams(query).getAll(name).filter((value) => value !== '') : none

/** Removes every spelling of the name that decodes to it; other parameters are unchanged. */
const queryWithout = (query: string, name: string): string => {
  if (query.length < 2) return query
  const kept = parametersOf(query).filter((part) => !isParameter(part, name))
  return kept.length ? `?${kept.join('&')}` : ''
}

const parametersOf = (query: string): readonly string[] => query.slice(1).split('&')

const isParameter = (part: string, name: string): boolean => new URLSearchParams(part).has(name)

const cookieValues = ({ headers }: Request, name: string): readonly string[] => {
  if (!headers.has('cookie')) return none
  return headers
    .all('cookie')
    .flatMap((field) => field.split(';'))
    .filter((pair) => isCookie(pair, name))
    .map((pair) => unquoted(pair.slice(pair.indexOf('=') + 1).trim()))
    .filter((value) => value !== '')
}

const removeCookie = ({ headers }: Request, name: string): void => {
  const fields = headers.all('cookie')
  if (!fields.some((field) => field.split(';').some((pair) => isCookie(pair, name)))) return
  headers.delete('cookie')
  for (const field of fields) {
    const kept = field.split(';').filter((pair) => !isCookie(pair, name))
    if (kept.length) headers.append('cookie', kept.join(';').trim())
  }
}

const isCookie = (pair: string, name: string): boolean => {
  const equals = pair.indexOf('=')
  return equals >= 0 && pair.slice(0, equals).trim() === name
}

const unquoted = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value
