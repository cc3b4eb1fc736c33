/**
 * A query without the parameters that have keys or identify an account; the rest keeps its form. Names are compared
 * as the most lenient server would: without escapes, case and punctuation.
 *
 * @example
 * withoutQueryKeys('?alt=sse&Api%2DKey=1') // '?alt=sse'
 */
export const withoutQueryKeys = (query: string): string => {
  if (!/(?:key|token|auth|project|%)/i.test(query)) return query
  const pairs = query.slice(1).split('&')
  // Some servers accept `;` in place of `&`.
  const kept = pairs.filter((pair) => !pair.split(';').some(isKey))
  if (kept.length === pairs.length) return query
  return kept.length ? `?${kept.join('&')}` : ''
}

/** The values of such parameters, decoded. */
export const queryKeysIn = (query: string): readonly string[] =>
  query
    .slice(1)
    .split('&')
    .filter(isKey)
    .flatMap((pair) => [...new URLSearchParams(pair).values()])

const isKey = (pair: string): boolean => {
  const [name = ''] = new URLSearchParams(pair).keys()
  return keys.has(
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9\u017f]/g, '')
      .replaceAll('\u017f', 's'),
  )
}

const keys: ReadonlySet<string> = new Set([
  ...['key', 'apikey', 'xapikey', 'googapikey', 'xgoogapikey', 'subscriptionkey', 'ocpapimsubscriptionkey'],
  ...['accesstoken', 'oauthtoken', 'bearertoken', 'authtoken', 'xamzsecuritytoken'],
  ...['authorization', 'xamzsignature', 'xamzcredential', 'userproject', 'xgooguserproject'],
])
