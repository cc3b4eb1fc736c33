import type { Headers } from '../../../model/exchange/headers.ts'

/** The version of the interface where the client did not say one. */
export const setAnthropicVersion = (headers: Headers): void => {
  if (!headers.has('anthropic-version')) headers.set('anthropic-version', '2023-06-01')
}

/** Puts keys where Anthropic looks for them. Tokens of OAuth stay where they are, and nothing may stand beside them. */
export const setAnthropicKey = (headers: Headers): void => {
  const token = bearerIn(headers)
  if (token === undefined) return
  if (token.startsWith('sk-ant-oat')) headers.delete('x-api-key')
  else if (!headers.has('x-api-key')) {
    headers.delete('authorization')
    headers.set('x-api-key', token)
  }
}

/** What tells a server that a page of a browser asks; Anthropic answers those differently. */
export const hideBrowser = (headers: Headers): void => {
  for (const name of ['origin', 'access-control-request-method', 'access-control-request-headers'])
    headers.delete(name)
  const { raw } = headers
  // From the end: what is deleted moves the fields behind it.
  for (let i = raw.length - 2; i >= 0; i -= 2) if (raw[i]?.startsWith('sec-fetch-')) raw.splice(i, 2)
}

/** The token of a request that has one (RFC 6750 §2.1). */
export const bearerIn = (headers: Headers): string | undefined => {
  const value = headers.get('authorization')
  return value?.slice(0, 7).toLowerCase() === 'bearer ' ? value.slice(7).trim() : undefined
}
