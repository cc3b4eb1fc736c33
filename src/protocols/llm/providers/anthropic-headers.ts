import type { Headers } from '../../../model/exchange/headers.ts'

/** Sets the default API version if the client sent none. */
export const setAnthropicVersion = (headers: Headers): void => {
  if (!headers.has('anthropic-version')) headers.set('anthropic-version', '2023-06-01')
}

/**
 * Moves API keys to the header that Anthropic expects. OAuth tokens stay in `authorization`, and exclude an API key.
 */
export const setAnthropicKey = (headers: Headers): void => {
  const token = bearerIn(headers)
  if (token === undefined) return
  if (token.startsWith('sk-ant-oat')) headers.delete('x-api-key')
  else if (!headers.has('x-api-key')) {
    headers.delete('authorization')
    headers.set('x-api-key', token)
  }
}

/** Removes the headers by which a server detects a browser; Anthropic treats those requests differently. */
export const hideBrowser = (headers: Headers): void => {
  for (const name of ['origin', 'access-control-request-method', 'access-control-request-headers'])
    headers.delete(name)
  const { raw } = headers
  // In reverse: deleting moves the fields behind.
  for (let i = raw.length - 2; i >= 0; i -= 2) if (raw[i]?.startsWith('sec-fetch-')) raw.splice(i, 2)
}

/** The bearer token of a request, if any (RFC 6750 §2.1). */
export const bearerIn = (headers: Headers): string | undefined => {
  const value = headers.get('authorization')
  return value?.slice(0, 7).toLowerCase() === 'bearer ' ? value.slice(7).trim() : undefined
}
