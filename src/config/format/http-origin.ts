import type { Check } from './complaint.ts'

/** Where something answers HTTP requests, whatever their paths: a scheme and a host. */
export const httpOrigin: Check = (text) => {
  const url = URL.parse(text)
  const isOrigin =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    (text === url.origin || text === `${url.origin}:${url.protocol === 'http:' ? '80' : '443'}`)
  return isOrigin
    ? undefined
    : { expectation: 'must be a scheme, a host and perhaps a port, such as http://10.0.0.3:3000' }
}
