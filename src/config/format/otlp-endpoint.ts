import type { FormatCheck } from './format-check.ts'

/** The address of a collector: `http://host:port`, `https://host`, with or without a path, or `host:port`. */
export const otlpEndpointFormat: FormatCheck = (text) => {
  const url = otlpUrl(text)
  if (!url || url.hostname === '') return { expectation: 'must be an address such as http://localhost:4317' }
  if (url.username !== '' || url.password !== '')
    return { expectation: 'must not contain user names or passwords', hint: 'send credentials in headers' }
  return url.search === '' && url.hash === '' ? undefined : { expectation: 'must not contain "?" or "#"' }
}

/** The URL of an endpoint; without a scheme it is HTTP. Undefined for anything else. */
export const otlpUrl = (text: string): URL | undefined => {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}
