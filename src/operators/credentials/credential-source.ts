import type { CredentialPlace } from '../../model/policies/credential-location.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Request } from '../../model/exchange/request.ts'

/** Where a credential is looked for, ready to look. Nothing can be removed from where an expression found it. */
export type CredentialSource =
  | CredentialPlace
  | { readonly kind: 'expression'; readonly expression: Evaluate }
  /** Any of them. */
  | {
      readonly kind: 'several'
      readonly sources: readonly CredentialSource[]
      /** Where the first has one, the others do not count. */
      readonly isFirstAlone?: boolean
    }

/**
 * Every credential in this place, as the client sent it and without its prefix. More than one is a question of which
 * one counts, here and upstream: policies refuse that instead of guessing. The same one in several places is one.
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

/** What several places hold together. A place that holds more than one is not made better by another. */
export const merged = (lists: readonly (readonly string[])[], isFirstAlone = false): readonly string[] => {
  const [first] = lists
  if (isFirstAlone && first?.length) return first
  return lists.find((list) => list.length > 1) ?? [...new Set(lists.flat())]
}

/** The expressions that a policy looks for credentials with. */
export const expressionsIn = (source: CredentialSource): readonly Evaluate[] => {
  if (source.kind === 'several') return source.sources.flatMap(expressionsIn)
  return source.kind === 'expression' ? [source.expression] : []
}

/**
 * Keeps the credentials of a request out of logs and traces where nobody would know them by their name: good ones are
 * about to be taken out, but traces begin before, and bad ones are often nearly right.
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
  // As they are written, too: that is what is shown.
  if (source.kind === 'queryParameter')
    for (const part of parametersOf(x.request.query))
      if (isParameter(part, source.name)) shown.add(part.slice(part.indexOf('=') + 1))
  for (const credential of [...shown].slice(0, MAX_SECRETS)) x.policy.addSecret(credential)
}

/** Each is searched for in all that is shown. Who sends more of them sends none that are worth anything. */
const MAX_SECRETS = 8

/** Whether everybody takes what is there for a credential. */
export const isKnownByName = (source: CredentialSource): boolean => {
  if (source.kind === 'several') return source.sources.every(isKnownByName)
  return (
    source.kind === 'header' && (source.name === 'authorization' || source.name === 'proxy-authorization')
  )
}

/** Takes the credential out of the request, and leaves everything else in it as it was. */
export const removeCredential = (source: CredentialSource, x: Exchange): void => {
  const { request } = x
  if (source.kind === 'several') for (const one of source.sources) removeCredential(one, x)
  else if (source.kind === 'header') request.headers.delete(source.name)
  else if (source.kind === 'queryParameter') request.query = queryWithout(request.query, source.name)
  else if (source.kind === 'cookie') removeCookie(request, source.name)
}

/**
 * Puts a credential into the request, in place of any that is there.
 *
 * @param credential Text that a header field can carry, if that is where it goes.
 */
export const putCredential = (place: CredentialPlace, { request }: Exchange, credential: string): void => {
  switch (place.kind) {
    case 'header':
      request.headers.set(place.name, (place.prefix ?? '') + credential)
      return
    case 'queryParameter': {
      const rest = queryWithout(request.query, place.name)
      const parameter = `${encodeURIComponent(place.name)}=${encodeURIComponent(credential)}`
      request.query = `${rest || '?'}${rest.length > 1 ? '&' : ''}${parameter}`
      return
    }
    case 'cookie': {
      removeCookie(request, place.name)
      const others = request.headers.get('cookie')
      const pair = `${place.name}=${credential}`
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

/** Whatever spelling of the name a decoder upstream would take for it goes; the rest keeps its own. */
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
