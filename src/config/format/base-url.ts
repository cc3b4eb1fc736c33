import type { Check } from './complaint.ts'

/** Where a service is, with what its paths begin with: an address with nothing after the path. */
export const baseUrl: Check = (text) => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { expectation: 'must be an address such as https://api.example.com/v1' }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    return { expectation: 'cannot include user info, query parameters, or a fragment' }
  return undefined
}

/** What such an address says. */
export interface BaseUrl {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  /** Without a slash at its end: empty for the root. */
  readonly path: string
}

/** Takes such an address apart. */
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
