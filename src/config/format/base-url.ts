import type { FormatCheck } from './format-check.ts'

/** The base URL of a service, without query and fragment. */
export const baseUrl: FormatCheck = (text) => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { expectation: 'must be an address such as https://api.example.com/v1' }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    return { expectation: 'cannot include user info, query parameters, or a fragment' }
  return undefined
}

/** A parsed base URL. */
export interface BaseUrl {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Without a trailing slash: empty for the root. */
  readonly path: string
}

/** Parses a base URL. */
export const parseBaseUrl = (text: string): BaseUrl => {
  const { protocol, hostname, port, pathname } = new URL(text)
  const isEncrypted = protocol === 'https:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? 443 : 80) : Number(port),
    isEncrypted,
    path: pathname.replace(/\/+$/, ''),
  }
}
