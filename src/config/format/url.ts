import type { FormatCheck } from './format-check.ts'

/** The URL of a resource that is fetched over HTTP. */
export const httpUrl: FormatCheck = (text) => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { expectation: 'must be an address such as https://idp.example.com/keys' }
  if (url.username !== '' || url.password !== '')
    return { expectation: 'must not contain user names or passwords' }
  return url.hash === '' ? undefined : { expectation: 'must not contain "#"' }
}

/** The origin of an HTTP server: a scheme and a host. */
export const httpOrigin: FormatCheck = (text) => {
  const url = URL.parse(text)
  const isOrigin =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    (text === url.origin || text === `${url.origin}:${url.protocol === 'http:' ? '80' : '443'}`)
  return isOrigin
    ? undefined
    : { expectation: 'must be a scheme, a host and perhaps a port, such as http://10.0.0.3:3000' }
}

/** An absolute URI that is used as an identifier, such as a token type. */
export const absoluteUri: FormatCheck = (text) =>
  URL.canParse(text) && !text.includes('#')
    ? undefined
    : { expectation: 'must be a URI without "#", such as urn:ietf:params:oauth:token-type:access_token' }
